import { z } from 'zod';
import { DraftFinding, Refutation, ReportedFix, ThreadAnswer } from '../../vocabulary/finding.ts';
import { Walkthrough } from '../../vocabulary/walkthrough.ts';
import { OmittedFile, SEVERAL_FILES } from '../../vocabulary/coverage.ts';

export const MAX_FINDINGS = 50;
export const MAX_BODY_CHARACTERS = 4000;
export const MAX_SUMMARY_CHARACTERS = 20_000;

/** Used as the summary of a review that has none. */
export const NO_SUMMARY = 'The reviewer gave no summary.';

/** A note that only `max` findings were kept. */
export const tooManyFindings = (max: number): OmittedFile => ({
  path: SEVERAL_FILES,
  reason: `more than ${max} findings; the least severe are not reported`,
});

export const Submission = z.object({
  summary: z.string(),
  /** What changes in each file. Absent if the model did not say. */
  walkthrough: Walkthrough.optional(),
  findings: z.array(DraftFinding),
  answers: z.array(ThreadAnswer),
  /** Settled threads that the model reported as fixed. Absent if there are none. */
  fixed: z.array(ReportedFix).optional(),
  /** Unverified claims that the model reported as refuted. Absent if there are none. */
  refuted: z.array(Refutation).optional(),
  /** Findings that could not be read, and missing parts. They make the review incomplete. */
  omitted: z.array(OmittedFile),
  /** Files that the model reports as not reviewed, in its own words. Absent if there are none. */
  notReviewed: z.array(OmittedFile).optional(),
});
export type Submission = z.output<typeof Submission>;

/**
 * - `violation`: breaks the protocol. If it remains, the attempt fails.
 * - `blemish`: if it remains, the rest of the submission is accepted, but the review is incomplete.
 */
export const SubmissionProblem = z.object({ kind: z.enum(['violation', 'blemish']), text: z.string() });
export type SubmissionProblem = z.output<typeof SubmissionProblem>;
