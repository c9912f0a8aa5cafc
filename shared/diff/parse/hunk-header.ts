import type { Hunk } from '../model.ts';

/** A hunk stays open until it is known that the next line is not a marker. */
export type OpenHunk = Omit<Hunk, 'bodyEnd'> & { bodyEnd: number };

/** Each parser has one such object and reuses it for every header, because a large diff has tens of thousands of headers. */
export type HeaderCursor = {
  at: number;
  end: number;
  start: number;
  lines: number;
  /** Line counts, one per parent; null unless the diff is combined. */
  parentLines: number[] | null;
};

export const createHeaderCursor = (): HeaderCursor => ({ at: 0, end: 0, start: 0, lines: 0, parentLines: null });

const AT = 64;
const BLANK = 32;
const CR = 13;
const COMMA = 44;
const PLUS = 43;
const MINUS = 45;
const ZERO = 48;
/** Numbers of nine digits are exact integers and exceed the number of lines in any file. */
const MAX_DIGITS = 9;
/** No real merge has more parents. This limits what a hostile header can allocate. */
const MAX_PARENTS = 64;

/**
 * Reads `@@ -1,2 +3,4 @@ section` between the cursor's `at` and `end`. A combined diff has one more `@` and one more range
 * for each further parent. Returns null if the header is malformed or both sides are empty.
 */
export const parseHunkHeader = (bytes: Buffer, cursor: HeaderCursor): OpenHunk | null => {
  const headerStart = cursor.at;
  const parents = countFence(bytes, cursor) - 1;
  if (parents < 1 || parents > MAX_PARENTS || !readRange(bytes, cursor, MINUS)) return null;
  const { start: oldStart, lines: oldLines } = cursor;
  cursor.parentLines = null;
  if (parents > 1 && !readParents(bytes, cursor, parents)) return null;
  if (!readRange(bytes, cursor, PLUS)) return null;
  const { start: newStart, lines: newLines } = cursor;
  if (!skip(bytes, cursor, BLANK) || countFence(bytes, cursor) !== parents + 1) return null;
  if (oldLines === 0 && newLines === 0 && parents === 1) return null;
  const section = readSection(bytes, cursor);
  const bodyStart = cursor.end + 1;
  return {
    oldStart,
    oldLines,
    newStart,
    newLines,
    section,
    source: bytes,
    headerStart,
    bodyStart,
    bodyEnd: bodyStart,
    parents,
  };
};

const countFence = (bytes: Buffer, cursor: HeaderCursor): number => {
  const from = cursor.at;
  while (cursor.at < cursor.end && bytes[cursor.at] === AT) cursor.at++;
  return cursor.at - from;
};

const skip = (bytes: Buffer, cursor: HeaderCursor, byte: number): boolean => {
  if (cursor.at >= cursor.end || bytes[cursor.at] !== byte) return false;
  cursor.at++;
  return true;
};

const readParents = (bytes: Buffer, cursor: HeaderCursor, parents: number): boolean => {
  const lines = [cursor.lines];
  while (lines.length < parents) {
    if (!readRange(bytes, cursor, MINUS)) return false;
    lines.push(cursor.lines);
  }
  cursor.parentLines = lines;
  return true;
};

/** Reads a range such as ` -12,3`; a missing count means 1. Lines count from 1, so only an empty side may start at 0. */
const readRange = (bytes: Buffer, cursor: HeaderCursor, sign: number): boolean => {
  if (!skip(bytes, cursor, BLANK) || !skip(bytes, cursor, sign)) return false;
  cursor.start = readNumber(bytes, cursor);
  cursor.lines = skip(bytes, cursor, COMMA) ? readNumber(bytes, cursor) : 1;
  return cursor.start >= 0 && cursor.lines >= 0 && (cursor.start > 0 || cursor.lines === 0);
};

const readNumber = (bytes: Buffer, cursor: HeaderCursor): number => {
  const stop = Math.min(cursor.end, cursor.at + MAX_DIGITS);
  const from = cursor.at;
  let value = 0;
  while (cursor.at < stop) {
    const digit = (bytes[cursor.at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
    cursor.at++;
  }
  return cursor.at === from ? -1 : value;
};

const readSection = (bytes: Buffer, cursor: HeaderCursor): string => {
  skip(bytes, cursor, BLANK);
  const end = cursor.end > cursor.at && bytes[cursor.end - 1] === CR ? cursor.end - 1 : cursor.end;
  return end <= cursor.at ? '' : bytes.toString(undefined, cursor.at, end);
};
