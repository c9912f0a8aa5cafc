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
const VERTICAL_TAB = 11;
const FORM_FEED = 12;
const CR = 13;
/** NEL, and U+2028 and U+2029 up to their last byte. */
const NEL = Buffer.from('\x85');
const SEPARATOR = Buffer.from([0xe2, 0x80]);

/** Whether any of the lines may hold such a character. Says yes too often, never too seldom. */
export const mayHoldBreak = (lines: Buffer): boolean =>
  lines.includes(VERTICAL_TAB) ||
  lines.includes(FORM_FEED) ||
  lines.includes(NEL) ||
  lines.includes(SEPARATOR) ||
  holdsLoneCr(lines);

const holdsLoneCr = (lines: Buffer): boolean => {
  for (let at = lines.indexOf(CR); at !== -1; at = lines.indexOf(CR, at + 1)) if (lines[at + 1] !== LF) return true;
  return false;
};
