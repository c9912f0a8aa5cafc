import { runGit, SimGitError } from './git.ts';

export type BlamedLine = { readonly commit: string; readonly line: number };

/**
 * The commit that last touched a line and the line's number in that commit: what the forge stores instead of what was
 * sent (Forgejo services/pull/review.go, forges.md 5.3). Throws `SimGitError` when the line cannot be blamed.
 */
export const blameLine = async (gitDir: string, revision: string, path: string, line: number): Promise<BlamedLine> => {
  const out = await runGit(gitDir, ['blame', '--porcelain', '-L', `${line},${line}`, revision, '--', path]);
  const [commit = '', original = ''] = out.split(/[ \n]/, 2);
  return { commit, line: Number(original) };
};

/** A wrong path or too short a file: errors that the forge ignores on the new side, so the comment is accepted. */
export const isMissingLine = (error: unknown): boolean =>
  error instanceof SimGitError && /no such path|has only \d+ lines?/.test(error.stderr);

/** The only one of the two that Gitea ignores: for the other it looks for the very letters `lines?`. */
export const isMissingPath = (error: unknown): boolean =>
  error instanceof SimGitError && error.stderr.includes('no such path');
