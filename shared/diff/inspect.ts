import { hunkLines } from './hunk-lines.ts';
import type { Diff, DiffFile, FileStatus, Hunk, HunkLine } from './model.ts';

export type InspectedHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly section: string;
  readonly lines?: readonly HunkLine[];
};

export type InspectedFile = {
  readonly oldPath: string;
  readonly newPath: string;
  readonly status: FileStatus;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  readonly oldMode: string | null;
  readonly newMode: string | null;
  readonly complete: boolean;
  readonly hunks: readonly InspectedHunk[];
};

export type InspectedDiff = { readonly files: readonly InspectedFile[] };

export type InspectOptions = {
  /** Also includes every line. Default: false, because a large diff has very many lines. */
  readonly lines?: boolean;
};

/** Converts a parsed diff to plain JSON, for `fixpoint diff-inspect`. */
export const inspectDiff = (diff: Diff, options: InspectOptions = {}): InspectedDiff => ({
  files: diff.files.map((file) => inspectFile(file, options.lines ?? false)),
});

const inspectFile = (file: DiffFile, lines: boolean): InspectedFile => ({
  oldPath: file.oldPath,
  newPath: file.newPath,
  status: file.status,
  added: file.added,
  removed: file.removed,
  binary: file.binary,
  oldMode: file.oldMode,
  newMode: file.newMode,
  complete: file.complete,
  hunks: file.hunks.map((hunk) => inspectHunk(hunk, lines)),
});

const inspectHunk = (hunk: Hunk, lines: boolean): InspectedHunk => ({
  oldStart: hunk.oldStart,
  oldLines: hunk.oldLines,
  newStart: hunk.newStart,
  newLines: hunk.newLines,
  section: hunk.section,
  ...(lines ? { lines: hunkLines(hunk) } : {}),
});
