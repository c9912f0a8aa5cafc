/** What a reviewer hands in at the end: the same fields as a runner's draft. */
import { z } from 'zod';
import { DraftFinding, Refutation, ReportedFix, ThreadAnswer } from '../../vocabulary/finding.ts';
import { OmittedFile } from '../../vocabulary/coverage.ts';

export const MAX_FINDINGS = 50;
export const MAX_BODY_CHARACTERS = 4000;
export const MAX_SUMMARY_CHARACTERS = 20_000;

export const Submission = z.object({
  summary: z.string(),
  findings: z.array(DraftFinding),
  answers: z.array(ThreadAnswer),
  /** Of settled threads; absent: none. */
  fixed: z.array(ReportedFix).optional(),
  /** Of unverified claims; absent: none. */
  refuted: z.array(Refutation).optional(),
  /** Files that the model says it did not review, and findings that could not be read: either makes a review incomplete. */
  omitted: z.array(OmittedFile),
});
export type Submission = z.output<typeof Submission>;

/**
 * - `violation`: breaks the protocol; when it stays, the attempt has failed.
 * - `blemish`: when it stays, the rest is taken without it and the review is not complete.
 */
export const SubmissionProblem = z.object({ kind: z.enum(['violation', 'blemish']), text: z.string() });
export type SubmissionProblem = z.output<typeof SubmissionProblem>;
