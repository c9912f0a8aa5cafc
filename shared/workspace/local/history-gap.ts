/**
 * Checks whether a clone has enough history for a correct diff. If history is missing, git reports no error. It finds an older
 * merge base or none, and the diff then shows too much as new.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitSha } from '../../vocabulary/ids.ts';
import { type Git, GitError } from '../git/git.ts';

export type HistoryGap =
  /** A shallow clone (`--depth`) that lacks the commit at which the two histories diverge. */
  | 'shallow'
  /** A partial clone (`--filter`) that has not fetched all files of both sides. */
  | 'partial'
  /** Commits are missing for another reason: deleted objects, grafts, or missing alternates. */
  | 'broken'
  /** The history is complete, but the two sides share no commit. */
  | 'unrelated';

export type HistoryRange = { readonly base: CommitSha; readonly head: CommitSha };

type Repositories = {
  readonly original: Git;
  /** Reads the objects of `original` and has a copy of its `shallow` file. */
  readonly scratch: Git;
};

const MAX_LISTING_BYTES = 256 * 1024 * 1024;
const LISTING_TIMEOUT_MS = 120_000;
const LISTING = { maxBytes: MAX_LISTING_BYTES, timeoutMs: LISTING_TIMEOUT_MS };

const readCuts = async (git: Git): Promise<ReadonlySet<string>> => {
  try {
    return new Set((await readFile(join(git.gitDir, 'shallow'), 'utf8')).split('\n').filter((line) => line !== ''));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Set();
    throw error;
  }
};

const linesOf = (output: Buffer): readonly string[] => output.toString('latin1').split('\n');

/** An ancestor of a shared commit is never a better merge base, so missing parents matter only for commits of one side. */
const isCutBefore = async (git: Git, { base, head }: HistoryRange, signal: AbortSignal): Promise<boolean> => {
  const cuts = await readCuts(git);
  if (cuts.size === 0) return false;
  const { stdout } = await git.run(['rev-list', `${base}...${head}`, '--'], LISTING, signal);
  return linesOf(stdout).some((commit) => cuts.has(commit));
};

const findMergeBase = async (git: Git, { base, head }: HistoryRange, signal: AbortSignal): Promise<string | null> => {
  const { stdout, exitCode } = await git.run(['merge-base', base, head], { answers: [1] }, signal);
  return exitCode === 0 ? stdout.toString('latin1').trim() : null;
};

const PARTIAL = '^(extensions\\.partialclone|remote\\..*\\.(promisor|partialclonefilter))$';

const isPartial = async (original: Git, signal: AbortSignal): Promise<boolean> => {
  const { exitCode } = await original.run(['config', '--local', '--get-regexp', PARTIAL], { answers: [1] }, signal);
  return exitCode === 0;
};

/** Returns true when a file of these commits is missing. This check does not fetch missing files. */
const lacksFiles = async (git: Git, commits: readonly string[], signal: AbortSignal): Promise<boolean> => {
  const args = ['rev-list', '--objects', '--no-object-names', '--missing=print', '--no-walk', ...commits, '--'];
  const { stdout } = await git.run(args, LISTING, signal);
  return linesOf(stdout).some((line) => line.startsWith('?'));
};

const lookForGap = async (
  { original, scratch }: Repositories,
  range: HistoryRange,
  signal: AbortSignal,
): Promise<HistoryGap | null> => {
  if (range.base !== range.head && (await isCutBefore(scratch, range, signal))) return 'shallow';
  const mergeBase = await findMergeBase(scratch, range, signal);
  if (mergeBase === null) return 'unrelated';
  // The merge base is checked too, because the settings of the repository are read from it.
  const sides = [range.head, range.base, mergeBase];
  return (await isPartial(original, signal)) && (await lacksFiles(scratch, sides, signal)) ? 'partial' : null;
};

/** Returns null when nothing is missing. @throws GitError when git times out; the signal's reason after an abort. */
export const findHistoryGap = async (
  repositories: Repositories,
  range: HistoryRange,
  signal: AbortSignal,
): Promise<HistoryGap | null> => {
  try {
    return await lookForGap(repositories, range, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitError && error.code === 'GIT_FAILED') return 'broken';
    throw error;
  }
};
