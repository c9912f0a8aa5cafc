/** Makes sure that a review without anything to review does not pass. */
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { LocalRepository } from '../../../shared/workspace/local/local.ts';
import { GitError } from '../../../shared/workspace/git/git.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { Packet } from '../../reviewer/packet/packet.ts';
import type { Runner } from '../../reviewer/run/runner.ts';
import type { Reviewed, ReviewOutput } from './review-output.ts';
import type { LocalRange, RangeEnds } from './review-range.ts';
import { VERSION } from '../../../shared/version.ts';

export const nothingToReview = (of: Reviewed, why: string): ReviewOutput => ({
  version: VERSION,
  ...of,
  verdict: 'inconclusive',
  summary: `Nothing to review: ${why}.`,
  findings: [],
  unverified: [],
  coverage: { files: 0, reviewed: 0, omitted: [], complete: true },
  ignored: 0,
  exceeded: null,
  notes: [],
  spent: NOTHING_SPENT,
});

type Place = {
  readonly repository: LocalRepository;
  readonly revisions: Revisions;
  readonly ends: RangeEnds;
  readonly range: LocalRange;
};

/** Null when the head differs from its merge base with the target; otherwise the reason why there is nothing to review. */
export const whyNothing = async (place: Place, signal: AbortSignal): Promise<string | null> => {
  const { revisions, ends } = place;
  const mergeBase = await revisions.mergeBase(ends.targetHead, ends.head, signal);
  if (mergeBase === null) return null;
  const [before, after] = [await revisions.treeOf(mergeBase, signal), await revisions.treeOf(ends.head, signal)];
  if (before !== after) return null;
  return `${reasonOf(place, mergeBase === ends.head)}${await uncommittedText(place, signal)}`;
};

const reasonOf = ({ ends, range }: Place, isMerged: boolean): string => {
  const { kind, base } = range;
  switch (kind) {
    case 'staged':
      return `the staged changes do not differ from ${base}`;
    case 'worktree':
      return `the worktree does not differ from ${base}`;
    case 'commits':
      if (ends.head === ends.targetHead) return `${base} and ${range.head} are the same commit`;
      if (isMerged) return `${base} contains all commits of ${range.head}`;
      return `the commits between ${base} and ${range.head} change no file`;
    default:
      return kind satisfies never;
  }
};

/** If the head is the checked-out commit, mentions uncommitted files, because the user may have meant them. */
const uncommittedText = async ({ repository, ends, range }: Place, signal: AbortSignal): Promise<string> => {
  if (range.kind === 'worktree') return '';
  if (range.kind === 'commits' && (await repository.resolveRevision('HEAD', signal)) !== ends.head) return '';
  const count = await countUncommitted(repository, signal);
  if (count === 0) return '';
  const files = count === 1 ? '1 changed file is' : `${count} changed files are`;
  return `; ${files} not committed (to review ${count === 1 ? 'it' : 'them'}: --worktree${range.kind === 'commits' ? ', or --staged for the staged changes' : ''})`;
};

/** 0 for a repository without a work tree, or with a work tree that git cannot read. */
const countUncommitted = async (repository: LocalRepository, signal: AbortSignal): Promise<number> => {
  try {
    return (await repository.storeUncommitted('worktree', signal)).changedFiles;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitError) return 0;
    throw error;
  }
};

const isFilteredOut = ({ reviewable, excluded, omitted, quiet }: Packet): boolean =>
  reviewable.length === 0 && omitted.length === 0 && quiet.size > 0 && excluded.length === quiet.size;

/** Wraps the runner. `filteredOut` is the number of files that the path filters excluded, or 0 when any file was left. */
export const watchFilter = (runner: Runner): { readonly runner: Runner; readonly filteredOut: () => number } => {
  let files = 0;
  const run: Runner['run'] = async (input, signal) => {
    files = isFilteredOut(input.packet) ? input.packet.quiet.size : 0;
    return runner.run(input, signal);
  };
  return { runner: { ...runner, run }, filteredOut: () => files };
};

/** The caller wants only changed files that match `paths`. If no file matches, the review does not pass. */
export const unlessUnmatched = (output: ReviewOutput, paths: readonly string[]): ReviewOutput => {
  const { coverage, verdict } = output;
  if (paths.length === 0 || verdict !== 'lgtm' || coverage.reviewed > 0) return output;
  const summary = `Nothing to review: no changed file matches ${paths.join(' or ')}.`;
  return { ...output, verdict: 'inconclusive', summary };
};

/** A pass becomes inconclusive. A verdict with findings is kept: the rules report severe findings in filtered files too. */
export const unlessFiltered = (output: ReviewOutput, filteredOut: number): ReviewOutput => {
  if (filteredOut === 0 || output.verdict !== 'lgtm') return output;
  const files = filteredOut === 1 ? 'the only changed file' : `all ${filteredOut} changed files`;
  const summary = `Nothing to review: the path filters of \`.fixpoint.toml\` exclude ${files}.`;
  return { ...output, verdict: 'inconclusive', summary };
};
