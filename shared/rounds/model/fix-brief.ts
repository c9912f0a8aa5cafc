/** What guard tells the author about one fix: everything that only the forge's markers and comments know. */
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
  /** The finding's own comment as it stands on the forge, without markers; empty when it has none. */
  text: z.string(),
  rule: z.string().nullable(),
  place: Place,
});
export type FixFinding = z.output<typeof FixFinding>;

export const FixBrief = z.object({
  v: z.literal(1),
  changeRequest: ChangeRequest,
  runId: RunId,
  head: CommitSha,
  /** Merge base of the round that is answered: what lies between is the change request. */
  base: CommitSha,
  round: z.number().int().positive(),
  sourceBranch: z.string(),
  targetBranch: BranchName,
  /** Its tip when that merge base was computed. */
  targetHead: CommitSha,
  git: z.object({
    url: z.string(),
    headRef: z.string(),
    branch: z.object({ url: z.string(), name: z.string() }).nullable().default(null),
  }),
  findings: z.array(FixFinding),
  /** Heads of completed rounds: a fix that gives the tree of one of them back goes round in circles. */
  reviewedHeads: z.array(CommitSha),
  /** Trees that earlier fixes have pushed. */
  seenTrees: z.array(z.string()),
  /** The commander who asked; whether that still is one is asked again. Null when guard ordered it by itself. */
  requester: z.object({ id: z.number().int(), login: z.string() }).nullable(),
  /** Epoch ms: dates the commit, so that the same change makes the same commit. */
  orderedAtMs: z.number().int().nonnegative(),
});
export type FixBrief = z.output<typeof FixBrief>;

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
