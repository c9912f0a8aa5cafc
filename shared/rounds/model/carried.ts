/**
 * A verdict that goes over to another head, because git says that it is the same input. What git cannot say is here:
 * which reviewed inputs have a verdict that may be carried at all.
 */
import { z } from 'zod';
import { Fingerprint } from './marker-payload.ts';
import { preventsPass, stillBlocks } from './blocking.ts';
import { BranchName } from './input.ts';
import type { History, ReviewedInput, Thread } from './history.ts';
import { Validations } from './validations.ts';
import { CommitSha } from '../../vocabulary/ids.ts';

/** What the reviewer found out about a head, instead of reviewing it. */
export const Carried = z.object({
  base: CommitSha,
  otherBases: z.array(CommitSha).readonly().optional(),
  /** Tip of the target branch that the base was computed with. */
  targetHead: CommitSha,
  patchFingerprint: Fingerprint,
  /** The head whose review it was, and the merge base and target branch of that review. */
  reviewedHead: CommitSha,
  reviewedBase: CommitSha,
  reviewedTarget: BranchName,
  /** Hash of what its target branch and the operator ask of the code. */
  rules: Fingerprint,
  /** It is the same change on a newer state of the target branch. */
  baseMoved: z.boolean(),
  /** What the operator's commands say about the new head; absent where none was run. */
  validations: Validations.optional(),
});
export type Carried = z.output<typeof Carried>;

/**
 * What may be said again about a reviewed input, CI and validations aside; null when it has to be reviewed again.
 * `inconclusive` and incomplete reviews are never carried. Nor is a verdict that the threads contradict: a later round
 * has closed what blocked here, or has raised what blocks now.
 */
export const carriedVerdict = (
  { verdict, complete, onlyCi, onlyChecks }: Pick<ReviewedInput, 'verdict' | 'complete' | 'onlyCi' | 'onlyChecks'>,
  threads: readonly Thread[],
): 'lgtm' | 'feedback' | null => {
  if (complete === false || verdict === 'inconclusive') return null;
  const anyBlocks = threads.some(stillBlocks);
  if (verdict === 'lgtm' || onlyCi === true || onlyChecks === true) return threads.some(preventsPass) ? null : 'lgtm';
  return anyBlocks ? 'feedback' : null;
};

/** Newest first. */
export const carriableInputs = ({ reviewed, threads }: Pick<History, 'reviewed' | 'threads'>): ReviewedInput[] =>
  reviewed.filter((input) => carriedVerdict(input, threads) !== null).toReversed();
