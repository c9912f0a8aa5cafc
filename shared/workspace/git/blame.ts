import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Git } from './git.ts';

/** Both inclusive; lines count from 1. */
export type BlameRange = { readonly startLine: number; readonly line: number };

export type BlameRequest = {
  readonly commit: CommitSha;
  readonly path: string;
  /** At least one; all exist in the file. */
  readonly ranges: readonly BlameRange[];
  readonly timeoutMs: number;
};

export type BlamedLine = {
  readonly line: number;
  readonly sha: string;
  readonly subject: string;
  /** True if the history ends at the commit, which then may not be the one that wrote the line. */
  readonly boundary: boolean;
};

const HEADER = /^([0-9a-f]{40,64}) \d{1,9} (\d{1,9})(?: \d{1,9})?$/;
const MAX_BYTES = 1024 * 1024;

type Commit = { subject: string; boundary: boolean };

/** Parses `git blame --porcelain`: the first record of each commit describes it, and each record ends with the line itself. */
export const parseBlame = (output: string): readonly BlamedLine[] => {
  const commits = new Map<string, Commit>();
  const lines: { readonly sha: string; readonly line: number }[] = [];
  let current: Commit = { subject: '', boundary: false };
  for (const row of output.split('\n')) {
    const [, sha, line] = HEADER.exec(row) ?? [];
    if (sha !== undefined) {
      current = commits.get(sha) ?? { subject: '', boundary: false };
      commits.set(sha, current);
      lines.push({ sha, line: Number(line) });
    } else if (row.startsWith('summary ')) current.subject = row.slice('summary '.length);
    else if (row === 'boundary') current.boundary = true;
  }
  return lines.map(({ sha, line }) => ({ sha, line, ...(commits.get(sha) ?? current) }));
};

/** @throws GitError, for example when the time limit is exceeded or an object is missing */
export const blameLines = async (
  git: Git,
  { commit, path, ranges, timeoutMs }: BlameRequest,
  signal: AbortSignal,
): Promise<readonly BlamedLine[]> => {
  const limits = ranges.map(({ startLine, line }) => `-L${startLine},${line}`);
  const args = ['blame', '--porcelain', '--no-textconv', ...limits, commit, '--', path];
  const { stdout } = await git.run(args, { timeoutMs, maxBytes: MAX_BYTES }, signal);
  return parseBlame(stdout.toString('utf8'));
};
