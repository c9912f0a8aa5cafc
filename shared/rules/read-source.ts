import { readText, type TextReading } from '../diff/read-text.ts';
import { isKnownText } from './content-kind.ts';

/** Decides in one place, for rules, secret scan, tools and audits, whether bytes are text and decodes them. */
export const readSource = (path: string, data: Buffer): TextReading => readText(path, data, isKnownText);
