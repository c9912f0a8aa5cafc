export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Payloads of the forges nest less than ten levels. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

const isEscaped = (raw: Uint8Array, quote: number): boolean => {
  let before = quote - 1;
  while (raw[before] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0;
};

/** Index of the closing quote of the string that starts at `start`. If there is none, the length of `raw`. */
const endOfString = (raw: Uint8Array, start: number): number => {
  // Most of a payload is text, and the native search is many times faster than a loop.
  let quote = raw.indexOf(QUOTE, start + 1);
  while (quote !== -1 && isEscaped(raw, quote)) quote = raw.indexOf(QUOTE, quote + 1);
  return quote === -1 ? raw.length : quote;
};

const isTooDeep = (raw: Uint8Array): boolean => {
  let depth = 0;
  for (let index = 0; index < raw.length; index += 1) {
    const byte = raw[index] ?? 0;
    if (byte === QUOTE) index = endOfString(raw, index);
    else if (isOpening(byte)) depth += 1;
    else if (isClosing(byte)) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
};

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The caller limits the size. The nesting depth is checked before parsing. Invalid UTF-8 is an error. */
export const parseJson = (raw: Uint8Array): ParsedJson => {
  if (isTooDeep(raw)) return { ok: false, reason: 'the body is nested too deeply' };
  try {
    const value: unknown = JSON.parse(UTF8.decode(raw));
    return { ok: true, value };
  } catch {
    return { ok: false, reason: 'the body is not valid JSON' };
  }
};
