import type { Hunk } from './model.ts';

/** A hunk stays open until the line behind its last one is known to be no marker. */
export type OpenHunk = { -readonly [Field in keyof Hunk]: Hunk[Field] };

export type HunkHeader = {
  readonly hunk: OpenHunk;
  /** Line count per parent, only in a combined diff; the hunk's old numbers are those of the first parent. */
  readonly parentLines: number[] | null;
};

type Range = { readonly start: number; readonly lines: number };
type Cursor = { at: number; readonly end: number };

const AT = 64;
const BLANK = 32;
const CR = 13;
const COMMA = 44;
const PLUS = 43;
const MINUS = 45;
const ZERO = 48;
/** Nine digits stay exact and are more lines than any file has. */
const MAX_DIGITS = 9;
/** More parents than any real merge; bounds what a hostile header can allocate. */
const MAX_PARENTS = 64;

/**
 * Reads `@@ -1,2 +3,4 @@ section`, with one more `@` and range per further parent in a combined diff.
 * Null when malformed. Works on bytes: large diffs hold tens of thousands of these.
 */
export const parseHunkHeader = (bytes: Buffer, from: number, end: number): HunkHeader | null => {
  const cursor: Cursor = { at: from, end };
  const parents = countFence(bytes, cursor) - 1;
  if (parents < 1 || parents > MAX_PARENTS) return null;
  const first = readRange(bytes, cursor, MINUS);
  const others = first === null || parents === 1 ? null : readParents(bytes, cursor, parents - 1);
  const fresh = readRange(bytes, cursor, PLUS);
  if (first === null || fresh === null || (parents > 1 && others === null)) return null;
  if (!skip(bytes, cursor, BLANK) || countFence(bytes, cursor) !== parents + 1) return null;
  if (first.lines === 0 && fresh.lines === 0 && parents === 1) return null;
  const hunk = {
    oldStart: first.start,
    oldLines: first.lines,
    newStart: fresh.start,
    newLines: fresh.lines,
    section: readSection(bytes, cursor),
    source: bytes,
    headerStart: from,
    bodyStart: end + 1,
    bodyEnd: end + 1,
    parents,
  };
  return { hunk, parentLines: others === null ? null : [first.lines, ...others] };
};

const countFence = (bytes: Buffer, cursor: Cursor): number => {
  const from = cursor.at;
  while (cursor.at < cursor.end && bytes[cursor.at] === AT) cursor.at++;
  return cursor.at - from;
};

const skip = (bytes: Buffer, cursor: Cursor, byte: number): boolean => {
  if (cursor.at >= cursor.end || bytes[cursor.at] !== byte) return false;
  cursor.at++;
  return true;
};

const readParents = (bytes: Buffer, cursor: Cursor, count: number): number[] | null => {
  const lines: number[] = [];
  for (let parent = 0; parent < count; parent++) {
    const range = readRange(bytes, cursor, MINUS);
    if (range === null) return null;
    lines.push(range.lines);
  }
  return lines;
};

/** ` -12,3`; a missing count is 1. Lines count from 1: only an empty side may stand at 0. */
const readRange = (bytes: Buffer, cursor: Cursor, sign: number): Range | null => {
  if (!skip(bytes, cursor, BLANK) || !skip(bytes, cursor, sign)) return null;
  const start = readNumber(bytes, cursor);
  const lines = skip(bytes, cursor, COMMA) ? readNumber(bytes, cursor) : 1;
  return start < 0 || lines < 0 || (start === 0 && lines > 0) ? null : { start, lines };
};

const readNumber = (bytes: Buffer, cursor: Cursor): number => {
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

const readSection = (bytes: Buffer, cursor: Cursor): string => {
  skip(bytes, cursor, BLANK);
  const end = cursor.end > cursor.at && bytes[cursor.end - 1] === CR ? cursor.end - 1 : cursor.end;
  return end <= cursor.at ? '' : bytes.toString('utf8', cursor.at, end);
};
