/** What a run hands to guard: the runner's draft with everything that only the diff and the tree can tell. */
import { z } from 'zod';
import { ExceededBudget } from '../../vocabulary/exceeded.ts';
import { Position } from '../../diff/position/position.ts';
import { Fingerprint } from './marker-payload.ts';
import { RepositoryRules } from './repository-rules.ts';
import { Spent } from '../../vocabulary/spent.ts';
import { Validations } from './validations.ts';
import { CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';
import { DraftFinding, Place, Refutation, ReportedFix, ThreadAnswer } from '../../vocabulary/finding.ts';
import { Coverage } from '../../vocabulary/coverage.ts';

export const CheckedFinding = z.object({
  claim: DraftFinding,
  /** Hash of path, cited code and claim: the same finding keeps it through moved lines and other words. */
  fingerprint: Fingerprint,
  /** Where it can hang inline; null when the diff has no such line. */
  position: Position.nullable(),
  /** Why it cannot hang inline, in plain words. */
  unplaced: z.string().max(200).nullable(),
  /** The quotation stands in the named file of head or base. */
  evidenced: z.boolean(),
  /** False from round 2 on when the hunk stood the same at the last complete round. */
  onChangedHunk: z.boolean(),
  /** The thread whose suggestion its lines are, word for word. Absent: none. */
  suggestedBy: FindingId.optional(),
});
export type CheckedFinding = z.output<typeof CheckedFinding>;

/** Where the code of a thread stands at this head; `place` is null when it is gone. */
export const MovedThread = z.object({
  findingId: FindingId,
  place: Place.nullable(),
  /** Its lines are not there any more; a closed one keeps its old place. Absent: they are. */
  gone: z.literal(true).optional(),
  /** The lines that it was hung on, as they were then, without secrets. Absent: unknown. */
  citedCode: z.string().max(4_000).optional(),
});
export type MovedThread = z.output<typeof MovedThread>;

export const CheckedFix = ReportedFix.extend({
  /** The quotation stands on lines that changed since the thread was handed to a human. */
  shown: z.boolean(),
});
export type CheckedFix = z.output<typeof CheckedFix>;

/**
 * Why a thread may be resolved: its lines, or those near them, changed since its last cycle; its rule ran to the end and
 * does not fire any more; people have answered; or what changed elsewhere was quoted.
 */
export const Resolvable = z.object({
  findingId: FindingId,
  why: z.enum(['touched', 'near', 'rule', 'answered', 'elsewhere']),
});
export type Resolvable = z.output<typeof Resolvable>;

export const CheckedRefutation = Refutation.extend({
  /** The review was shown the claim's code, and the quotation stands in it. */
  shown: z.boolean(),
});
export type CheckedRefutation = z.output<typeof CheckedRefutation>;

export const ReviewDraft = z.object({
  v: z.literal(1),
  runId: RunId,
  head: CommitSha,
  /** Merge base of head and target branch. */
  base: CommitSha,
  /** Tip of the target branch that the base was computed with. */
  targetHead: CommitSha,
  /** Where the histories have several merge bases: the others. Absent: none. */
  otherBases: z.array(CommitSha).readonly().optional(),
  patchFingerprint: Fingerprint,
  /** Hash of what the target branch and the operator ask of the code. */
  rules: Fingerprint,
  round: z.number().int().positive(),
  attempt: z.number().int().positive(),
  /** The runner that gave it. Absent: unknown. */
  runner: z.string().max(64).optional(),
  summary: z.string().max(20_000),
  findings: z.array(CheckedFinding).max(500),
  answers: z.array(ThreadAnswer).max(500),
  /** Of settled threads; absent: none. */
  fixed: z.array(CheckedFix).max(500).optional(),
  /** Of unverified claims; absent: none. */
  refuted: z.array(CheckedRefutation).max(500).optional(),
  /** The open threads that may be resolved, whatever was answered; every other one stays as it is. Absent: none. */
  resolvable: z.array(Resolvable).max(500).optional(),
  moved: z.array(MovedThread).max(500),
  coverage: Coverage,
  /** Who looked at every line that had to be looked at; absent: nobody counted. */
  seenBy: z.enum(['model', 'rules']).optional(),
  /** What ran to its end, over which files: only there does its silence say that a claim no longer holds. */
  ran: z.array(z.object({ name: z.string(), paths: z.array(z.string()) })).optional(),
  spent: Spent,
  /** The budget that ended the review before its end: then not every open thread has its answer. */
  exceeded: ExceededBudget.nullable().default(null),
  /** Absent: the target branch's settings ask for nothing. */
  repository: RepositoryRules.optional(),
  /** What the operator's commands said about this head. */
  validations: Validations.default([]),
});
export type ReviewDraft = z.output<typeof ReviewDraft>;
