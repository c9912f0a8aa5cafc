import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Git } from './git.ts';

export type CommitSearch = {
  readonly commit: CommitSha;
  /** An extended regular expression that matches whole words. */
  readonly pattern: string;
  readonly maxPerFile: number;
  readonly timeoutMs: number;
};

/** `line` counts from 1. `text` is the whole line. */
export type CommitMatch = { readonly path: string; readonly line: number; readonly text: string };

const MAX_BYTES = 4 * 1024 * 1024;

/** Parses `COMMIT:PATH NUL line NUL text`. A truncated last record is left out. */
export const parseCommitMatches = (output: string, commit: CommitSha): readonly CommitMatch[] => {
  const matches: CommitMatch[] = [];
  const start = `${commit}:`;
  for (let at = 0; at < output.length; ) {
    const afterPath = output.indexOf('\0', at);
    const afterLine = output.indexOf('\0', afterPath + 1);
    const end = output.indexOf('\n', afterLine + 1);
    const line = output.slice(afterPath + 1, afterLine);
    if (afterPath < 0 || afterLine < 0 || end < 0 || !/^\d{1,9}$/.test(line)) break;
    const path = output.slice(at, afterPath);
    if (path.startsWith(start))
      matches.push({ path: path.slice(start.length), line: Number(line), text: output.slice(afterLine + 1, end) });
    at = end + 1;
  }
  return matches;
};

/** Searches the text files of a commit, in git's order. @throws GitError, for example when the time limit is exceeded */
export const grepCommit = async (
  git: Git,
  { commit, pattern, maxPerFile, timeoutMs }: CommitSearch,
  signal: AbortSignal,
): Promise<readonly CommitMatch[]> => {
  const { stdout } = await git.run(
    [
      'grep',
      '--line-number',
      '--null',
      '-I',
      '--word-regexp',
      '--extended-regexp',
      '--no-color',
      `--max-count=${maxPerFile}`,
      '-e',
      pattern,
      commit,
      '--',
    ],
    { answers: [1], timeoutMs, maxBytes: MAX_BYTES, mayTruncate: true },
    signal,
  );
  return parseCommitMatches(stdout.toString('utf8'), commit);
};
