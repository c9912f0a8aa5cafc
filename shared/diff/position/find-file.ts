import type { Side } from '../../vocabulary/finding.ts';
import type { Diff, DiffFile } from '../model.ts';

const existsOn = (file: DiffFile, side: Side): boolean =>
  side === 'new' ? file.status !== 'deleted' : file.status !== 'added';

/** On the old side, a renamed file is also found by its new path if no old path matches, because annotated text shows the new path. */
export const findFile = (diff: Diff, path: string, side: Side): DiffFile | null => {
  const present = diff.files.filter((file) => existsOn(file, side));
  const exact = present.filter((file) => (side === 'new' ? file.newPath : file.oldPath) === path);
  if (exact.length > 0) return preferMoved(exact);
  return side === 'old' ? (present.find((file) => file.newPath === path) ?? null) : null;
};

/** A file can be copied and edited in the same change; the path then means the file that keeps its name. */
const preferMoved = (files: readonly DiffFile[]): DiffFile | null =>
  files.find((file) => file.status !== 'copied') ?? files[0] ?? null;
