/** What a fix leaves in the store for guard, as the author side's `review_addressed` has it. */
import { z } from 'zod';
import { CommitSha, FindingId, RunId } from './vocabulary.ts';

const MAX_REASON = 2_000;

/** Why the author leaves a finding as it is; becomes an answer in the finding's thread. */
export const Decline = z.object({ findingId: FindingId, reason: z.string().min(1).max(MAX_REASON) });
export type Decline = z.output<typeof Decline>;

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
});
export type FixReport = z.output<typeof FixReport>;
