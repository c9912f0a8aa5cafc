/**
 * Builds one hunk from two versions of a text, for a file whose lines git does not show or shows in another encoding.
 */
import type { DiffFile, Hunk } from './model.ts';

const NO_NEWLINE = '\n\\ No newline at end of file';

/** The lines as rows of a hunk, without their signs. A marker is part of its row, so a line and the same line without a newline differ. */
const rowsOf = (text: string | null): readonly string[] => {
  if (text === null) return [];
  const rows = text.split('\n');
  const last = rows.pop() ?? '';
  return last === '' ? rows : [...rows, `${last}${NO_NEWLINE}`];
};

const commonStart = (one: readonly string[], other: readonly string[]): number => {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one[count] === other[count]) count += 1;
  return count;
};

const commonEnd = (one: readonly string[], other: readonly string[], most: number): number => {
  let count = 0;
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count += 1;
  return count;
};

const hunkOf = (
  rows: readonly string[],
  at: { oldStart: number; oldLines: number; newStart: number; newLines: number },
) => {
  const head = Buffer.from(`@@ -${at.oldStart},${at.oldLines} +${at.newStart},${at.newLines} @@\n`);
  const source = Buffer.concat([head, Buffer.from(rows.map((row) => `${row}\n`).join(''))]);
  const place = { source, headerStart: 0, bodyStart: head.length, bodyEnd: source.length };
  return { ...at, ...place, section: '', parents: 1 } satisfies Hunk;
};

/**
 * Returns the file with one hunk from the first to the last differing line, if any line differs. Null means that the
 * side is missing.
 */
export const replaceHunks = (file: DiffFile, before: string | null, after: string | null): DiffFile => {
  const [old, now] = [rowsOf(before), rowsOf(after)];
  const start = commonStart(old, now);
  const end = commonEnd(old, now, Math.min(old.length, now.length) - start);
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const changed = {
    ...file,
    binary: false,
    complete: true,
    binaryPatch: null,
    removed: removed.length,
    added: added.length,
  };
  if (removed.length + added.length === 0) return { ...changed, hunks: [] };
  const rows = [...removed.map((row) => `-${row}`), ...added.map((row) => `+${row}`)];
  const place = {
    oldStart: removed.length === 0 ? start : start + 1,
    oldLines: removed.length,
    newStart: added.length === 0 ? start : start + 1,
    newLines: added.length,
  };
  return { ...changed, hunks: [hunkOf(rows, place)] };
};
