/** What a run hands to guard: the model's draft and facts from the diff and the tree. */
import { z } from 'zod';
import { ExceededBudget } from '../../vocabulary/exceeded.ts';
import { Position } from '../../diff/position/position.ts';
import { Fingerprint, MAX_MODEL_NAME } from './marker-payload.ts';
import { RepositoryRules } from './repository-rules.ts';
import { Spent } from '../../vocabulary/spent.ts';
import { Validations } from './validations.ts';
import { CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';
import { Walkthrough } from '../../vocabulary/walkthrough.ts';
import { DraftFinding, Place, Refutation, ReportedFix, ThreadAnswer } from '../../vocabulary/finding.ts';
import { Coverage } from '../../vocabulary/coverage.ts';

export const CheckedFinding = z.object({
  claim: DraftFinding,
  /** Hash of path, cited code and claim. It stays the same if lines move or the wording changes. */
  fingerprint: Fingerprint,
  /** Position of the inline comment. Null if the diff does not contain the line. */
  position: Position.nullable(),
  /** Why no inline comment is possible. Null if `position` is set. */
  unplaced: z.string().max(200).nullable(),
  /** True if the quoted evidence was found in the named file at head or base. */
  evidenced: z.boolean(),
  /** False if the hunk is unchanged since the last complete review. Always true in the first review. */
  onChangedHunk: z.boolean(),
  /** The thread whose suggestion was applied word for word at these lines. Absent if there is none. */
  suggestedBy: FindingId.optional(),
});
export type CheckedFinding = z.output<typeof CheckedFinding>;

/** Where the code of a thread is at this head. `place` is null if the code is gone. */
export const MovedThread = z.object({
  findingId: FindingId,
  place: Place.nullable(),
  /** Set if the lines no longer exist. A closed thread then keeps its old `place`. */
  gone: z.literal(true).optional(),
  /** Set if the code is outside the diff of this input. */
  outside: z.literal(true).optional(),
  /** The lines that the thread is about, as they were when it was opened, with secrets removed. Absent if they are unknown. */
  citedCode: z.string().max(4_000).optional(),
});
export type MovedThread = z.output<typeof MovedThread>;

export const CheckedFix = ReportedFix.extend({
  /** True if the quotation was found on lines that changed since the thread was handed to a human. */
  shown: z.boolean(),
});
export type CheckedFix = z.output<typeof CheckedFix>;

/**
 * Why a thread may be resolved:
 * - `touched`, `near`: its lines, or lines near them, changed since its last cycle.
 * - `rule`: its rule completed and no longer reports it.
 * - `answered`: people have answered.
 * - `elsewhere`: the answer quotes a change elsewhere.
 * - `verified`: as `elsewhere`, and a verifier confirmed that the change fixes the finding.
 */
export const Resolvable = z.object({
  findingId: FindingId,
  why: z.enum(['touched', 'near', 'rule', 'answered', 'elsewhere', 'verified']),
});
export type Resolvable = z.output<typeof Resolvable>;

/** A finding that a verifier refuted, with the code that refutes it. It is not posted. */
export const RefutedClaim = z.object({
  title: z.string().max(200),
  path: z.string().max(4096),
  line: z.number().int().positive(),
  evidence: z.string().max(4000),
});
export type RefutedClaim = z.output<typeof RefutedClaim>;

export const CheckedRefutation = Refutation.extend({
  /** True if the review was shown the code of the claim and the quotation was found in that code. */
  shown: z.boolean(),
});
export type CheckedRefutation = z.output<typeof CheckedRefutation>;

export const ReviewDraft = z.object({
  v: z.literal(1),
  runId: RunId,
  head: CommitSha,
  base: CommitSha,
  targetHead: CommitSha,
  otherBases: z.array(CommitSha).readonly().optional(),
  patchFingerprint: Fingerprint,
  /** Hash of the review rules set by the target branch and the operator. */
  rules: Fingerprint,
  review: z.number().int().positive(),
  attempt: z.number().int().positive(),
  /** The kind of runner. Absent if it is unknown. */
  runner: z.string().max(64).optional(),
  /** The model that reviewed. Absent if none did or if it is unknown. */
  model: z.string().max(MAX_MODEL_NAME).optional(),
  /** Set if other models took over, in order, because the first one failed. */
  tookOver: z
    .object({ from: z.string().max(MAX_MODEL_NAME), by: z.array(z.string().max(MAX_MODEL_NAME)).min(1).max(5) })
    .optional(),
  summary: z.string().max(20_000),
  /** A model's description of what changes in each file. Absent if the model gave none. */
  walkthrough: Walkthrough.optional(),
  findings: z.array(CheckedFinding).max(500),
  answers: z.array(ThreadAnswer).max(500),
  /** Open threads in a part of the change that was not reviewed, so they have no answer. Absent if there are none. */
  unanswered: z.array(FindingId).max(500).optional(),
  fixed: z.array(CheckedFix).max(500).optional(),
  refuted: z.array(CheckedRefutation).max(500).optional(),
  /** Absent if there are none. */
  refutedClaims: z.array(RefutedClaim).max(50).optional(),
  /** The open threads that may be resolved. Any other thread stays open even if the answer is `resolve`. */
  resolvable: z.array(Resolvable).max(500).optional(),
  moved: z.array(MovedThread).max(500),
  coverage: Coverage,
  /** Who reviewed every line that needed review. Absent if this was not determined. */
  seenBy: z.enum(['model', 'rules']).optional(),
  /** Rules that completed, each with the files that it checked. Only these rules prove a claim wrong by not reporting it. */
  ran: z.array(z.object({ name: z.string(), paths: z.array(z.string()) })).optional(),
  spent: Spent,
  /** The budget that ended the review early. If it is set, some open threads may have no answer. */
  exceeded: ExceededBudget.nullable().default(null),
  repository: RepositoryRules.optional(),
  validations: Validations.default([]),
});
export type ReviewDraft = z.output<typeof ReviewDraft>;
