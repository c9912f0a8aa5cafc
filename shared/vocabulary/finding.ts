/** What a run may claim: findings, answers to threads, fixes and refutations. */
import { z } from 'zod';
import { FindingId } from './ids.ts';

export const Severity = z.enum(['P0', 'P1', 'P2', 'P3']);
export type Severity = z.output<typeof Severity>;

export const Relation = z.enum(['current_diff', 'required_by_current_diff', 'outside_diff']);
export type Relation = z.output<typeof Relation>;

/** Which version of the file a line number counts in: `new` is the head, `old` is the merge base. */
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

/** A piece of code that a claim rests on. `line` is where the reviewer says that it begins; null: it does not say. */
export const Quote = z.object({
  path: z.string().min(1).max(4096),
  line: z.number().int().positive().nullable(),
  code: z.string().max(4000),
});
export type Quote = z.output<typeof Quote>;

/** What a runner claims. It has no id yet: ids are given by the gate. */
export const DraftFinding = Place.extend({
  severity: Severity,
  relation: Relation,
  title: z.string().min(1).max(200),
  body: z.string().min(1).max(8000),
  /** A quotation of the code that the claim rests on; required for P0 and P1. */
  evidence: z.string().max(4000),
  /** Quotations of other places that the claim rests on. Absent: none. */
  quotes: z.array(Quote).max(MAX_QUOTES).optional(),
  /** Replacement for the lines `startLine..line` of the new side, without a final newline; null when none is safe. */
  suggestion: z.string().max(8000).nullable(),
  /** The model's word for a P2; ignored for every other severity. */
  blocking: z.boolean(),
  /** The built-in rule that made the claim, or null when a model did. */
  rule: z.string().nullable(),
}).refine((finding) => finding.startLine <= finding.line, { message: 'startLine must not exceed line' });
export type DraftFinding = z.output<typeof DraftFinding>;

/** The runner's one answer to one open thread. */
export const ThreadAnswer = z.object({
  findingId: FindingId,
  stance: Stance,
  action: Action,
  /** Only with `escalate`: the new, higher severity. */
  severity: Severity.nullable(),
  body: z.string().max(8000),
  /** With `resolve` of a thread whose own lines are untouched: a quotation of what changed elsewhere. Absent: none. */
  evidence: z.string().max(4000).optional(),
});
export type ThreadAnswer = z.output<typeof ThreadAnswer>;

/** The runner's word that what a settled thread claims is mended. */
export const ReportedFix = z.object({
  findingId: FindingId,
  /** A quotation of lines that changed since a human was called: what mends it, or what was taken away of its code. */
  evidence: z.string().max(4000),
  /** The built-in rule that finds its claim no more, or null when a model says so. */
  rule: z.string().nullable(),
});
export type ReportedFix = z.output<typeof ReportedFix>;

/** The runner's word that a claim of an earlier review, which nobody could verify, does not hold. */
export const Refutation = z.object({
  findingId: FindingId,
  /** A quotation of the code that shows it. */
  evidence: z.string().max(4000),
});
export type Refutation = z.output<typeof Refutation>;
