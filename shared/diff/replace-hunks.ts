/**
 * Builds one hunk from two versions of a text, for a file whose lines git does not show or shows in another encoding.
 */
import type { DiffFile, Hunk } from './model.ts';

type Lines = { readonly lines: readonly string[]; readonly endsWithNewline: boolean };

const linesOf = (text: string | null): Lines => {
  if (text === null || text === '') return { lines: [], endsWithNewline: true };
  const lines = text.split('\n');
  const endsWithNewline = lines.at(-1) === '';
  if (endsWithNewline) lines.pop();
  return { lines, endsWithNewline };
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
  const [old, now] = [linesOf(before), linesOf(after)];
  const sameEnd = old.endsWithNewline === now.endsWithNewline;
  const start = commonStart(old.lines, now.lines);
  const end = commonEnd(old.lines, now.lines, sameEnd ? Math.min(old.lines.length, now.lines.length) - start : 0);
  const removed = old.lines.slice(start, old.lines.length - end);
  const added = now.lines.slice(start, now.lines.length - end);
  const changed = {
    ...file,
    binary: false,
    complete: true,
    binaryPatch: null,
    removed: removed.length,
    added: added.length,
  };
  if (removed.length + added.length === 0) return { ...changed, hunks: [] };
  const mark = (lines: readonly string[], sign: string, isLast: boolean): readonly string[] => [
    ...lines.map((line) => sign + line),
    ...(lines.length > 0 && end === 0 && !isLast ? ['\\ No newline at end of file'] : []),
  ];
  const rows = [...mark(removed, '-', old.endsWithNewline), ...mark(added, '+', now.endsWithNewline)];
  const place = {
    oldStart: removed.length === 0 ? start : start + 1,
    oldLines: removed.length,
    newStart: added.length === 0 ? start : start + 1,
    newLines: added.length,
  };
  return { ...changed, hunks: [hunkOf(rows, place)] };
};
