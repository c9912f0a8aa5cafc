import { compileGlob } from '../../shared/diff/glob-match.ts';
import type { DiffFile } from '../../shared/diff/model.ts';
import type { OmittedFile } from '../../shared/rounds/vocabulary.ts';

/** With patterns, only files that one of them covers are reviewed; without any, all are. */
export const keepPaths = (
  files: readonly DiffFile[],
  patterns: readonly string[],
): { readonly kept: readonly DiffFile[]; readonly left: readonly OmittedFile[] } => {
  if (patterns.length === 0) return { kept: files, left: [] };
  const globs = patterns.map((pattern) => compileGlob(pattern)).filter((glob) => glob !== null);
  const isWanted = (file: DiffFile): boolean =>
    globs.some((glob) => glob.covers(file.newPath) || glob.covers(file.oldPath));
  return {
    kept: files.filter(isWanted),
    left: files
      .filter((file) => !isWanted(file))
      .map((file) => ({ path: file.newPath, reason: 'outside the included paths' })),
  };
};
