/** What guard tells the author about one fix: the facts that only the forge's markers and comments contain. */
import { z } from 'zod';
import { BranchName } from './input.ts';
import { ChangeRequest, CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';
import { Place, Severity } from '../../vocabulary/finding.ts';
import { NOTHING_SPENT, Spent } from '../../vocabulary/spent.ts';
import { MAX_VALIDATIONS, ValidationResult } from './validations.ts';

export const FixFinding = z.object({
  id: FindingId,
  fingerprint: z.string(),
  severity: Severity,
  title: z.string(),
  /** The finding's comment without its markers. Empty if there is no comment. */
  text: z.string(),
  rule: z.string().nullable(),
  place: Place,
});
export type FixFinding = z.output<typeof FixFinding>;

export const FixBrief = z.object({
  v: z.literal(1),
  changeRequest: ChangeRequest,
  /** The project's path when the fix was ordered, by which its settings are found. Absent if the forge did not say it. */
  projectPath: z.string().optional(),
  runId: RunId,
  head: CommitSha,
  /** Merge base of the review that the fix addresses. */
  base: CommitSha,
  review: z.number().int().positive(),
  sourceBranch: z.string(),
  targetBranch: BranchName,
  targetHead: CommitSha,
  git: z.object({
    url: z.string(),
    headRef: z.string(),
    branch: z.object({ url: z.string(), name: z.string() }).nullable().default(null),
  }),
  findings: z.array(FixFinding),
  /** The heads of completed reviews. A fix that restores the tree of one of them is rejected as a cycle. */
  reviewedHeads: z.array(CommitSha),
  seenTrees: z.array(z.string()),
  /** The commander who requested the fix; the author checks the permission again. Null if guard ordered the fix itself. */
  requester: z.object({ id: z.number().int(), login: z.string() }).nullable(),
  /** Epoch ms, used as the commit date, so that the same change gives the same commit. */
  orderedAtMs: z.number().int().nonnegative(),
});
export type FixBrief = z.output<typeof FixBrief>;

const MAX_REASON = 2_000;

/** Why the author does not fix a finding. Posted as a reply in the finding's thread. */
export const Decline = z.object({ findingId: FindingId, reason: z.string().min(1).max(MAX_REASON) });
export type Decline = z.output<typeof Decline>;

/** Written regardless of how the fix ends. `spent` and `failedValidations` always count; the rest only if it ends as `fixed`. */
export const FixReport = z.object({
  v: z.literal(1),
  runId: RunId,
  head: CommitSha,
  review: z.number().int().positive(),
  /** The fix's commit and its tree. Null if every finding was declined. */
  commit: z.object({ sha: CommitSha, tree: z.string() }).nullable(),
  summary: z.string().max(4_000),
  touchedFiles: z.array(z.string().max(4096)).max(500),
  addressedFindingIds: z.array(FindingId).max(500),
  declines: z.array(Decline).max(500),
  /** What all executions of the job spent on models that Fixpoint itself called. */
  spent: Spent.default(NOTHING_SPENT),
  /** Validations that pass at the head and fail with the fix. If there are any, nothing was pushed. */
  failedValidations: z.array(ValidationResult.shape.name).max(MAX_VALIDATIONS).default([]),
});
export type FixReport = z.output<typeof FixReport>;
