/** What a run may report: findings, answers to threads, fixes and refutations. */
import { z } from 'zod';
import { FindingId } from './ids.ts';

export const Severity = z.enum(['P0', 'P1', 'P2', 'P3']);
export type Severity = z.output<typeof Severity>;

export const Relation = z.enum(['current_diff', 'required_by_current_diff', 'outside_diff']);
export type Relation = z.output<typeof Relation>;

/** Which version of the file a line number refers to: `new` is the head, `old` is the merge base. */
export const Side = z.enum(['new', 'old']);
export type Side = z.output<typeof Side>;

export const Stance = z.enum(['seeks_change', 'accepts']);
export type Stance = z.output<typeof Stance>;

export const Action = z.enum(['resolve', 'veto', 'escalate', 'reply']);
export type Action = z.output<typeof Action>;

export const Verdict = z.enum(['lgtm', 'feedback', 'inconclusive']);
export type Verdict = z.output<typeof Verdict>;

/** Lines count from 1. `startLine <= line`; both are on `side`. */
export const Place = z.object({
  path: z.string().min(1).max(4096),
  side: Side,
  startLine: z.number().int().positive(),
  line: z.number().int().positive(),
});
export type Place = z.output<typeof Place>;

export const MAX_QUOTES = 10;

/** A quotation on which a claim is based. `line` is where it begins according to the reviewer, or null. */
export const Quote = z.object({
  path: z.string().min(1).max(4096),
  line: z.number().int().positive().nullable(),
  code: z.string().max(4000),
});
export type Quote = z.output<typeof Quote>;

export const MAX_ALSO_RULES = 5;

/** Rules of other tools that report the same defect as the finding's own rule. Absent if there are none. */
export const AlsoRules = z.array(z.string().max(200)).max(MAX_ALSO_RULES).readonly().optional();

/** A finding of a runner. The gate gives it an id. */
export const DraftFinding = Place.extend({
  severity: Severity,
  relation: Relation,
  title: z.string().min(1).max(200),
  body: z.string().min(1).max(8000),
  /** A quotation of the code that proves the claim. Required for P0 and P1. */
  evidence: z.string().max(4000),
  /** Quotations of other places. Absent if there are none. */
  quotes: z.array(Quote).max(MAX_QUOTES).optional(),
  /** Replaces the lines `startLine..line` of the new side; has no final newline. Null if there is no safe suggestion. */
  suggestion: z.string().max(8000).nullable(),
  /** Whether the finding blocks; only used for a P2. */
  blocking: z.boolean(),
  /** The built-in rule that made the claim. Null if a model made it. */
  rule: z.string().nullable(),
  alsoRules: AlsoRules,
}).refine((finding) => finding.startLine <= finding.line, { message: 'startLine must not exceed line' });
export type DraftFinding = z.output<typeof DraftFinding>;

export const ThreadAnswer = z.object({
  findingId: FindingId,
  stance: Stance,
  action: Action,
  /** The new, higher severity. Only set with `escalate`. */
  severity: Severity.nullable(),
  body: z.string().max(8000),
  /** A quotation of a change elsewhere, for `resolve` if the thread's own lines are unchanged. Absent if there is none. */
  evidence: z.string().max(4000).optional(),
});
export type ThreadAnswer = z.output<typeof ThreadAnswer>;

/** A report that the finding of a settled thread is fixed. */
export const ReportedFix = z.object({
  findingId: FindingId,
  /** A quotation of lines that changed since the hand-off: either the fix or the removed code. */
  evidence: z.string().max(4000),
  /** The built-in rule that no longer reports the claim. Null if a model reported the fix. */
  rule: z.string().nullable(),
});
export type ReportedFix = z.output<typeof ReportedFix>;

/** A report that an unverified claim of an earlier review is wrong. */
export const Refutation = z.object({
  findingId: FindingId,
  /** A quotation of the code that disproves the claim. */
  evidence: z.string().max(4000),
});
export type Refutation = z.output<typeof Refutation>;
