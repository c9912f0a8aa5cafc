import { readText, type TextReading } from '../diff/read-text.ts';
import { isKnownText } from './content-kind.ts';

/** Whether bytes of a repository are text, and which: the same answer for the rules, the secret scan, tools and audits. */
export const readSource = (path: string, data: Buffer): TextReading => readText(path, data, isKnownText);
