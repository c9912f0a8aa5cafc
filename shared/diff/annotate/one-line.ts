/** Matches characters that some readers, but not git, treat as the end of a line. A CR at the end of the line is harmless. */
const LOOKS_LIKE_BREAK = /\r(?!$)|[\v\f\x85\u2028\u2029]/g;

const NAMES: Readonly<Record<string, string>> = {
  '\r': '<CR>',
  '\v': '<VT>',
  '\f': '<FF>',
  '\x85': '<NEL>',
  '\u2028': '<U+2028>',
  '\u2029': '<U+2029>',
};

/** Replaces a character that looks like a line break by its name, so that no part of a line can look like another line. */
export const showOneLine = (text: string): string =>
  text.replaceAll(LOOKS_LIKE_BREAK, (found) => NAMES[found] ?? found);

const LF = 10;
const VERTICAL_TAB = 11;
const FORM_FEED = 12;
const CR = 13;
/** The UTF-8 bytes of NEL, and the first two bytes of U+2028 and U+2029. */
const NEL = Buffer.from('\x85');
const SEPARATOR = Buffer.from([0xe2, 0x80]);

/** True if a line may contain such a character. There are false positives but no false negatives. */
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
