import { hunkLines } from '../hunk-lines.ts';
import type { DiffFile, Hunk } from '../model.ts';

/** Returns the file with these hunks instead of its own, and with the numbers of lines that they add and remove. */
export const withHunks = (file: DiffFile, hunks: readonly Hunk[]): DiffFile => {
  const kinds = hunks.flatMap((hunk) => hunkLines(hunk).map(({ kind }) => kind));
  const count = (wanted: 'added' | 'removed'): number => kinds.filter((kind) => kind === wanted).length;
  return { ...file, hunks, added: count('added'), removed: count('removed') };
};
