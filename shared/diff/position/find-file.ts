import type { Side } from '../../vocabulary/finding.ts';
import type { Diff, DiffFile } from '../model.ts';

/** Whether the file exists on that side; lines of the other side have nothing to hang on. */
const existsOn = (file: DiffFile, side: Side): boolean =>
  side === 'new' ? file.status !== 'deleted' : file.status !== 'added';

/**
 * The file that a path means on one side. On the old side the new path of a renamed file is understood as well, as
 * long as no other file bears it: the annotated text shows a renamed file under its new path.
 */
export const findFile = (diff: Diff, path: string, side: Side): DiffFile | null => {
  const present = diff.files.filter((file) => existsOn(file, side));
  const exact = present.filter((file) => (side === 'new' ? file.newPath : file.oldPath) === path);
  if (exact.length > 0) return preferMoved(exact);
  return side === 'old' ? (present.find((file) => file.newPath === path) ?? null) : null;
};

/** A source path can be copied and edited at once; the file that stays under its name is the one meant. */
const preferMoved = (files: readonly DiffFile[]): DiffFile | null =>
  files.find((file) => file.status !== 'copied') ?? files[0] ?? null;
