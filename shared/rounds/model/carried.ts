/** A verdict that is carried to another head, because git shows that the input is the same. Decides which verdicts may be carried. */
import { z } from 'zod';
import { Fingerprint } from './marker-payload.ts';
import { preventsPass, stillBlocks } from './blocking.ts';
import { BranchName } from './input.ts';
import type { History, ReviewedInput, Thread } from './history.ts';
import { Validations } from './validations.ts';
import { CommitSha } from '../../vocabulary/ids.ts';

/** The reviewer reports this instead of a draft if the head needs no new review. */
export const Carried = z.object({
  base: CommitSha,
  otherBases: z.array(CommitSha).readonly().optional(),
  targetHead: CommitSha,
  patchFingerprint: Fingerprint,
  /** The head, merge base and target branch of the review whose verdict is carried. */
  reviewedHead: CommitSha,
  reviewedBase: CommitSha,
  reviewedTarget: BranchName,
  rules: Fingerprint,
  /** True if the patch is unchanged but the target branch is newer. */
  baseMoved: z.boolean(),
  /** Validation results for the new head. Absent if no validation ran. */
  validations: Validations.optional(),
});
export type Carried = z.output<typeof Carried>;

/**
 * Returns the verdict that may be carried, before CI and validations are checked. Null if the input must be reviewed
 * again. This is the case after an `inconclusive` or incomplete review. It is also the case if later rounds closed the
 * findings that blocked it, or raised findings that block now.
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
