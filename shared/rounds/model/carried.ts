/** A verdict that is carried to another head, because git shows the same input. Which verdicts may be carried is decided here. */
import { z } from 'zod';
import { Fingerprint } from './marker-payload.ts';
import { preventsPass, stillBlocks } from './blocking.ts';
import { BranchName } from './input.ts';
import type { History, ReviewedInput, Thread } from './history.ts';
import { Validations } from './validations.ts';
import { CommitSha } from '../../vocabulary/ids.ts';

/** The reviewer reports this instead of a draft when the head needs no new review. */
export const Carried = z.object({
  base: CommitSha,
  otherBases: z.array(CommitSha).readonly().optional(),
  targetHead: CommitSha,
  patchFingerprint: Fingerprint,
  /** Head, merge base and target branch of the review that is carried. */
  reviewedHead: CommitSha,
  reviewedBase: CommitSha,
  reviewedTarget: BranchName,
  rules: Fingerprint,
  /** True when the patch is unchanged but the target branch is newer. */
  baseMoved: z.boolean(),
  /** Validation results for the new head. Absent when none was run. */
  validations: Validations.optional(),
});
export type Carried = z.output<typeof Carried>;

/**
 * The verdict that may be carried, before CI and validations are checked. Null when the input must be reviewed again:
 * after an `inconclusive` or incomplete review, or when later rounds closed what blocked it or raised something that
 * blocks now.
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

export const carriableInputs = ({ reviewed, threads }: Pick<History, 'reviewed' | 'threads'>): ReviewedInput[] =>
  reviewed.filter((input) => carriedVerdict(input, threads) !== null).toReversed();
