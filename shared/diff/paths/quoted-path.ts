import type { ByteString } from '../model.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
};

const LETTERS: ReadonlyMap<string, string> = new Map(Object.entries(ESCAPES).map(([letter, byte]) => [byte, letter]));

export type Unquoted = { readonly name: string; readonly end: number };

/**
 * Reads a C-quoted name that starts with `"` at `start` (git's `quote.c`: letters and three-digit octal bytes). Input and
 * output have one character per byte; `end` is the index after the closing quote. Null if the name is malformed.
 */
export const unquoteName = (text: string, start: number): Unquoted | null => {
  let name = '';
  let at = start + 1;
  while (at < text.length) {
    const stop = nextSpecial(text, at);
    name += text.slice(at, stop);
    if (text.charAt(stop) === '"') return { name, end: stop + 1 };
    const escape = readEscape(text, stop + 1);
    if (escape === null) return null;
    name += escape.byte;
    at = escape.end;
  }
  return null;
};

const nextSpecial = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && text.charAt(at) !== '"' && text.charAt(at) !== '\\') at++;
  return at;
};

const readEscape = (text: string, at: number): { byte: string; end: number } | null => {
  const simple = ESCAPES[text.charAt(at)];
  if (simple !== undefined) return { byte: simple, end: at + 1 };
  const octal = text.slice(at, at + 3);
  if (!/^[0-3][0-7]{2}$/.test(octal)) return null;
  return { byte: String.fromCharCode(Number.parseInt(octal, 8)), end: at + 3 };
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** True if git would escape the byte; `quoteHigh` is git's `core.quotePath`. */
const needsEscape = (code: number, quoteHigh: boolean): boolean =>
  code < 0x20 || code === QUOTE || code === BACKSLASH || code === 0x7f || (quoteHigh && code > 0x7f);

const holdsEscape = (name: string, quoteHigh: boolean): boolean => {
  for (let at = 0; at < name.length; at++) if (needsEscape(name.charCodeAt(at), quoteHigh)) return true;
  return false;
};

/** Quotes the name as git prints it. Input and output have one character per byte. */
export const quoteName = (name: string, quoteHigh: boolean): string => {
  if (!holdsEscape(name, quoteHigh)) return name;
  const bytes = Array.from(name, (byte) => (needsEscape(byte.charCodeAt(0), quoteHigh) ? escapeByte(byte) : byte));
  return `"${bytes.join('')}"`;
};

const escapeByte = (byte: string): string =>
  `\\${LETTERS.get(byte) ?? byte.charCodeAt(0).toString(8).padStart(3, '0')}`;

const NOT_ASCII = /[^\p{ASCII}]/u;

/** Decodes UTF-8; invalid bytes become replacement characters. */
export const decodeBytes = (bytes: string): string =>
  NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;

/** Contract: the argument has one byte per character. */
export const toByteString = (bytes: string): ByteString =>
  // The cast applies the brand, which no other function does.
  bytes as ByteString;
