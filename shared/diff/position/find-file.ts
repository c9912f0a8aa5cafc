import type { Side } from '../../vocabulary/finding.ts';
import type { Diff, DiffFile } from '../model.ts';

const existsOn = (file: DiffFile, side: Side): boolean =>
  side === 'new' ? file.status !== 'deleted' : file.status !== 'added';

/**
 * Finds the file of a path on one side. On the old side, the new path of a renamed file also works when no file has it as
 * its old path, because the annotated text shows renamed files under their new path.
 */
export const findFile = (diff: Diff, path: string, side: Side): DiffFile | null => {
  const present = diff.files.filter((file) => existsOn(file, side));
  const exact = present.filter((file) => (side === 'new' ? file.newPath : file.oldPath) === path);
  if (exact.length > 0) return preferMoved(exact);
  return side === 'old' ? (present.find((file) => file.newPath === path) ?? null) : null;
};

/** A file can be copied and edited in the same change; the path then means the file that keeps its name. */
const preferMoved = (files: readonly DiffFile[]): DiffFile | null =>
  files.find((file) => file.status !== 'copied') ?? files[0] ?? null;
