import { runGit, SimGitError } from './git.ts';

export type BlamedLine = { readonly commit: string; readonly line: number };

/**
 * The commit that last changed a line, and the line's number in that commit; the forge stores these instead of the sent
 * ones (Forgejo services/pull/review.go, forges.md 5.3). Throws `SimGitError` when blame fails.
 */
export const blameLine = async (gitDir: string, revision: string, path: string, line: number): Promise<BlamedLine> => {
  const out = await runGit(gitDir, ['blame', '--porcelain', '-L', `${line},${line}`, revision, '--', path]);
  const [commit = '', original = ''] = out.split(/[ \n]/, 2);
  return { commit, line: Number(original) };
};

/** A wrong path or line: the forge ignores these errors on the new side, so the comment is accepted. */
export const isMissingLine = (error: unknown): boolean =>
  error instanceof SimGitError && /no such path|has only \d+ lines?/.test(error.stderr);

/** Gitea ignores only this error, because it searches for the literal text `lines?`. */
export const isMissingPath = (error: unknown): boolean =>
  error instanceof SimGitError && error.stderr.includes('no such path');
