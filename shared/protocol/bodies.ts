/** The bodies of the four message types, with the field names of the published protocol. */
import { z } from 'zod';
import { count, flag, list, oneOf, positive, ShaPrefix, text, WorkspacePath } from './fields.ts';
import { Nit } from './nit.ts';

const BRANCH = 255;
const SUMMARY = 8000;
export const MAX_TOUCHED_FILES = 1000;
export const MAX_NAMED_FINDINGS = 500;

/** The name of a git ref, checked as far as possible without git. */
const Branch = text(BRANCH).refine((branch) => !/[\p{Cc}\s~^:?*[\\]|\.\.|^[-/]/u.test(branch), {
  message: 'expected a branch name',
});

export const ReviewRequestBody = z.strictObject({
  pr: positive,
  branch: Branch,
  diff_summary: text(SUMMARY),
  /** The hand-off packet that this review follows. */
  handoff_ref: text(1024).optional(),
  /** The reviewer's own limits apply if these are absent or larger. */
  max_turns_reviewer: positive.optional(),
  max_runtime_s_reviewer: positive.optional(),
});
export type ReviewRequestBody = z.output<typeof ReviewRequestBody>;

export const ESCALATIONS = {
  maxRounds: 'max_rounds_exceeded',
  budget: 'reviewer_budget_exceeded',
  incomplete: 'review_incomplete',
  failed: 'review_failed',
} as const;

/** Unknown escalations are refused, because the two sides could disagree on their meaning. */
const Escalation = oneOf([ESCALATIONS.maxRounds, ESCALATIONS.budget, ESCALATIONS.incomplete, ESCALATIONS.failed]);
export type Escalation = z.output<typeof Escalation>;

export const ReviewFeedbackBody = z.strictObject({
  findings_packet: WorkspacePath,
  round: positive,
  blocking_count: count,
  escalation: Escalation.optional(),
});
export type ReviewFeedbackBody = z.output<typeof ReviewFeedbackBody>;

export const ReviewAddressedBody = z.strictObject({
  commit_sha: ShaPrefix,
  changes_summary: text(SUMMARY),
  /** The round of the feedback that this message answers. */
  round: positive,
  touched_files: list(WorkspacePath, MAX_TOUCHED_FILES).optional(),
  addressed_finding_ids: list(text(64), MAX_NAMED_FINDINGS).optional(),
});
export type ReviewAddressedBody = z.output<typeof ReviewAddressedBody>;

export const ReviewLgtmBody = z
  .strictObject({
    quality_gate_result: oneOf(['pass', 'fail']),
    merge_ready: flag,
    nits: list(Nit, MAX_NAMED_FINDINGS).optional(),
  })
  .refine((body) => body.quality_gate_result === 'pass' || !body.merge_ready, {
    path: ['merge_ready'],
    message: 'expected false: the quality gate did not pass',
  });
export type ReviewLgtmBody = z.output<typeof ReviewLgtmBody>;

export const BODIES = {
  review_request: ReviewRequestBody,
  review_feedback: ReviewFeedbackBody,
  review_addressed: ReviewAddressedBody,
  review_lgtm: ReviewLgtmBody,
} as const;

export const MessageType = oneOf(['review_request', 'review_feedback', 'review_addressed', 'review_lgtm']);
export type MessageType = z.output<typeof MessageType>;
