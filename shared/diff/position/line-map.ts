import { hunkLines } from '../hunk-lines.ts';
import type { Diff, DiffFile, Hunk } from '../model.ts';

export type MappedLine =
  | { readonly kind: 'at'; readonly path: string; readonly line: number }
  | { readonly kind: 'gone' };

export type LineMap = (path: string, line: number) => MappedLine;

const GONE: MappedLine = { kind: 'gone' };

/**
 * Maps lines of one state to another, given the diff between exactly these two states (head to head, or merge base to merge
 * base). Lines outside the hunks shift by the lines added and removed above them. A removed line no longer exists, even if
 * an equal line was added.
 */
export const createLineMap = (between: Diff): LineMap => {
  // A copy does not move the lines of its source.
  const moved = between.files.filter((file) => file.status !== 'added' && file.status !== 'copied');
  const byOldPath = new Map(moved.map((file) => [file.oldPath, file]));
  const mapIn = createHunkMap();
  return (path, line) => {
    const file = byOldPath.get(path);
    if (file === undefined) return { kind: 'at', path, line };
    const now = mapWithin(file, line, mapIn);
    return now === null ? GONE : { kind: 'at', path: file.newPath, line: now };
  };
};

type HunkMap = (hunk: Hunk, line: number) => number | null;

const mapWithin = (file: DiffFile, line: number, mapIn: HunkMap): number | null => {
  if (file.status === 'deleted' || file.status === 'type_changed' || !canFollow(file)) return null;
  let shift = 0;
  for (const hunk of file.hunks) {
    const first = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart;
    if (line < first) break;
    if (line < first + hunk.oldLines) return mapIn(hunk, line);
    shift += hunk.newLines - hunk.oldLines;
  }
  return line + shift;
};

const createHunkMap = (): HunkMap => {
  const known = new Map<Hunk, ReadonlyMap<number | null, number | null>>();
  return (hunk, line) => {
    const lines = known.get(hunk) ?? new Map(hunkLines(hunk).map((one) => [one.oldLine, one.newLine]));
    known.set(hunk, lines);
    return lines.get(line) ?? null;
  };
};

/** Lines cannot be followed through changed content without readable hunks. */
const canFollow = (file: DiffFile): boolean => file.complete && !file.binary && file.parents === 1;
