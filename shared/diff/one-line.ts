import type { DiffFile } from './model.ts';

/** Characters that some readers take for the end of a line; git does not. A CR right before the LF is harmless. */
const LOOKS_LIKE_BREAK = /\r(?!$)|[\v\f\x85\u2028\u2029]/g;

const NAMES: Readonly<Record<string, string>> = {
  '\r': '<CR>',
  '\v': '<VT>',
  '\f': '<FF>',
  '\x85': '<NEL>',
  '\u2028': '<U+2028>',
  '\u2029': '<U+2029>',
};

/**
 * The content exactly, except that a character which could pass for a line break is written as its name in angle
 * brackets: nothing inside a line can look like the start of another one. A CR at the end stays.
 */
export const showOneLine = (text: string): string =>
  text.replaceAll(LOOKS_LIKE_BREAK, (found) => NAMES[found] ?? found);

const LF = 10;
const CR = 13;
/** Vertical tab, form feed, and the UTF-8 of NEL and of U+2028 and U+2029 up to their last byte. */
const SUSPECTS = [Buffer.from('\v'), Buffer.from('\f'), Buffer.from('\x85'), Buffer.from([0xe2, 0x80])];

/** Whether any hunk of the file may hold such a character. Says yes too often, never too seldom. */
export const holdsBreak = (file: DiffFile): boolean =>
  file.hunks.some(({ source, headerStart, bodyEnd }) => {
    const bytes = source.subarray(headerStart, bodyEnd);
    return SUSPECTS.some((suspect) => bytes.includes(suspect)) || holdsLoneCr(bytes);
  });

const holdsLoneCr = (bytes: Buffer): boolean => {
  for (let at = bytes.indexOf(CR); at !== -1; at = bytes.indexOf(CR, at + 1)) if (bytes[at + 1] !== LF) return true;
  return false;
};
