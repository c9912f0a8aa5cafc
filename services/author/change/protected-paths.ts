/** Paths that a fix never touches. Operators can add patterns but not remove any. Case is ignored. */
import { compileGlob } from '../../../shared/diff/paths/glob-match.ts';
import { isSteeringFile } from '../../../shared/diff/paths/steering-files.ts';
import { isLockName } from '../../../shared/diff/paths/well-known-files.ts';
import { whyPathIsRefused } from '../../../shared/workspace/tree/paths.ts';

export type PathRules = {
  readonly protectedPaths: readonly string[];
  readonly lockFiles: boolean;
};

/** Returns why a fix may not touch this path; null if it may. */
export const whyPathIsProtected = (path: string, { protectedPaths, lockFiles }: PathRules): string | null => {
  const refused = whyPathIsRefused(path);
  if (refused !== null) return refused;
  const lower = path.normalize('NFKC').toLowerCase();
  if (isSteeringFile(path)) return 'it is protected';
  if (!lockFiles && isLockName(path)) return 'it is a lock file';
  const covered = protectedPaths.some((pattern) => compileGlob(pattern.toLowerCase())?.covers(lower) !== false);
  return covered ? 'the operator protects it' : null;
};
