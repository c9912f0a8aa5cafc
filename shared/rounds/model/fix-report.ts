/** What a fix leaves in the store for guard, as the author side's `review_addressed` has it. */
import { z } from 'zod';
import { NOTHING_SPENT, Spent } from '../../vocabulary/spent.ts';
import { MAX_VALIDATIONS, ValidationResult } from './validations.ts';
import { CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';

const MAX_REASON = 2_000;

/** Why the author leaves a finding as it is; becomes an answer in the finding's thread. */
export const Decline = z.object({ findingId: FindingId, reason: z.string().min(1).max(MAX_REASON) });
export type Decline = z.output<typeof Decline>;

/** Left by every end; only of a fix that is `fixed` does the rest count. `spent` and `failedValidations` always do. */
export const FixReport = z.object({
  v: z.literal(1),
  runId: RunId,
  head: CommitSha,
  round: z.number().int().positive(),
  /** The commit that was made for it and its tree; null when nothing was changed because everything was declined. */
  commit: z.object({ sha: CommitSha, tree: z.string() }).nullable(),
  summary: z.string().max(4_000),
  touchedFiles: z.array(z.string().max(4096)).max(500),
  addressedFindingIds: z.array(FindingId).max(500),
  declines: z.array(Decline).max(500),
  /** On a model of ours, by all executions of the job together. */
  spent: Spent.default(NOTHING_SPENT),
  /** Commands of the operator that the head passes and the fix does not: for them nothing was pushed. */
  failedValidations: z.array(ValidationResult.shape.name).max(MAX_VALIDATIONS).default([]),
});
export type FixReport = z.output<typeof FixReport>;
