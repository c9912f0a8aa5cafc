import { readText, type TextReading } from '../diff/read-text.ts';
import { isKnownText } from './content-kind.ts';

/** Decides whether bytes are text, and decodes them. Rules, secret scan, tools and audits all use this function. */
export const readSource = (path: string, data: Buffer): TextReading => readText(path, data, isKnownText);
