import { compileGlob } from '../../../shared/diff/paths/glob-match.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import { isSteeringFile } from '../../../shared/diff/paths/steering-files.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';

/** Keeps the files that match the patterns; if there are no patterns, all files are kept. */
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

export type RepositoryPaths = { readonly include: readonly string[]; readonly exclude: readonly string[] };

/** Limit on pattern characters times path characters; normal filters stay far below it. */
const MAX_STEPS = 100_000_000;

/**
 * Applies the project's own path filters. They cannot exclude files that control git, CI or this bot, nor a file that the
 * change moves out of an excluded folder. Once `MAX_STEPS` is reached, they exclude no more files.
 */
export const keepRepositoryPaths = (
  files: readonly DiffFile[],
  { include, exclude }: RepositoryPaths,
): { readonly kept: readonly DiffFile[]; readonly left: readonly DiffFile[] } => {
  const included = covers(include);
  const excluded = covers(exclude);
  const length = [...include, ...exclude].join('').length;
  let steps = 0;
  const isLeft = ({ oldPath, newPath }: DiffFile): boolean => {
    const paths = oldPath === newPath ? [newPath] : [newPath, oldPath];
    steps += length * paths.join('').length;
    if (steps > MAX_STEPS || paths.some(isSteeringFile)) return false;
    return (include.length > 0 && !paths.some(included)) || paths.every(excluded);
  };
  const left = new Set(files.filter(isLeft));
  return { kept: files.filter((file) => !left.has(file)), left: [...left] };
};

const covers = (patterns: readonly string[]): ((path: string) => boolean) => {
  const globs = patterns.map((pattern) => compileGlob(pattern)).filter((glob) => glob !== null);
  return (path) => globs.some((glob) => glob.covers(path));
};
