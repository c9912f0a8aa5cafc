import type { DiffFile, Hunk } from '../model.ts';
import { annotateFile, annotateHeader } from './annotate-file.ts';
import { annotateHunks } from './annotate-hunk.ts';
import { hunkOfRows, readHunkRows } from './cut-hunk.ts';
import { withHunks } from './with-hunks.ts';

/** Bytes of a file as a model reads it. */
export const annotatedBytes = (file: DiffFile): number => Buffer.byteLength(annotateFile(file)) + 1;

/**
 * Splits a file into pieces of at most `maxBytes` each, in order: between hunks, and inside a hunk that is larger than
 * that. Every row is in exactly one piece, with its line numbers. A single row above the limit and a combined hunk stay
 * whole.
 */
export const splitFile = (file: DiffFile, maxBytes: number): readonly DiffFile[] => {
  if (file.hunks.length === 0 || annotatedBytes(file) <= maxBytes) return [file];
  const room = maxBytes - Buffer.byteLength(annotateHeader(file)) - 1;
  const bytesOf = (hunk: Hunk): number => Buffer.byteLength(annotateHunks({ ...file, hunks: [hunk] }));
  const pieces: Hunk[][] = [];
  let left = 0;
  for (const hunk of file.hunks.flatMap((each) => splitHunk(each, room, bytesOf))) {
    const bytes = bytesOf(hunk);
    const last = pieces.at(-1);
    if (last === undefined || bytes > left) {
      pieces.push([hunk]);
      left = room - bytes;
      continue;
    }
    last.push(hunk);
    left -= bytes;
  }
  return pieces.map((hunks) => withHunks(file, hunks));
};

/** Halves the hunk until each part fits. */
const splitHunk = (hunk: Hunk, room: number, bytesOf: (hunk: Hunk) => number): readonly Hunk[] => {
  if (hunk.parents !== 1 || bytesOf(hunk) <= room) return [hunk];
  const rows = readHunkRows(hunk);
  if (rows.length < 2) return [hunk];
  const half = Math.ceil(rows.length / 2);
  return [rows.slice(0, half), rows.slice(half)].flatMap((part) => splitHunk(hunkOfRows(hunk, part), room, bytesOf));
};
