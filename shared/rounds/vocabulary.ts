/**
 * The words of Fixpoint. Every other file uses these and no synonyms; forge-specific names stop at the adapter.
 *
 * forge           one GitLab, Forgejo or Gitea installation, by a stable id in the configuration
 * change request  a merge request or pull request: forge id + numeric project id + number
 * head SHA        full commit id at the tip of the source branch
 * run             one attempt to review one head; ends as drafted, superseded, failed or overdue
 * round           one completed review whose result was posted; counts from 1
 * packet          everything that the reviewer is given at the start of a round
 * finding         one claim about the code: place, severity, evidence
 * severity        P0 always blocks, P1 blocks, P2 the reviewer judges, P3 is a nit and never blocks
 * relation        of a finding to the change; `outside_diff` never blocks
 * thread          the discussion that the bot opened for one finding
 * cycle           one handling of an open thread, in a round or as an answer to a human
 * action          resolve, veto, escalate or reply: exactly one per open thread per cycle
 * stance          seeks_change or accepts
 * nit             a deferred non-blocking item with owner and next action
 * verdict         lgtm, feedback or inconclusive
 * gate            the pure filter between what a runner drafted and what may be posted
 * budget          what may still be spent: turns, wall time, tokens, money
 * marker          the signed hidden comment by which the bot finds its own words again
 * hand-off        the one comment that calls the operator, with the ways to unblock
 * mode            change (default) or codebase (audit of a tree without a diff)
 * operator        whoever runs Fixpoint
 * commander       a user with write access to the project
 */
import { z } from 'zod';
import { FileReceipt, ReceiptTotal, UnknownLanguage } from '../vocabulary/receipts.ts';

export const ForgeId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);
export type ForgeId = z.output<typeof ForgeId>;

/** Full object id of a commit, SHA-1 or SHA-256, lower-case hex. Short or symbolic names are refused. */
export const CommitSha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .brand<'CommitSha'>();
export type CommitSha = z.output<typeof CommitSha>;

/** Ids that survive JSON: positive integers below 2^53. */
const ForgeNumber = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);

export const ChangeRequest = z.object({ forge: ForgeId, projectId: ForgeNumber, number: ForgeNumber });
export type ChangeRequest = z.output<typeof ChangeRequest>;

/** `forge.project.number`: a key for Redis and a part of job ids (the queue forbids colons there). */
export const changeRequestKey = (of: ChangeRequest): string => `${of.forge}.${of.projectId}.${of.number}`;

export const RunId = z
  .string()
  .regex(/^[0-9a-z]{12,40}$/)
  .brand<'RunId'>();
export type RunId = z.output<typeof RunId>;

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

/** `F-001`: a display number, unique within one change request. Never a key for posting once. */
export const FindingId = z.string().regex(/^F-\d{3,6}$/);
export type FindingId = z.output<typeof FindingId>;

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

export const OmittedFile = z.object({ path: z.string(), reason: z.string() });
export type OmittedFile = z.output<typeof OmittedFile>;

/** The runner's word that a claim of an earlier review, which nobody could verify, does not hold. */
export const Refutation = z.object({
  findingId: FindingId,
  /** A quotation of the code that shows it. */
  evidence: z.string().max(4000),
});
export type Refutation = z.output<typeof Refutation>;

/**
 * `complete` is false as soon as one file that should have been reviewed was not. Exclusions by name, by the operator and of
 * binary files do not count.
 */
export const Coverage = z.object({
  files: z.number().int().nonnegative(),
  reviewed: z.number().int().nonnegative(),
  omitted: z.array(OmittedFile),
  complete: z.boolean(),
  /** Who looked at the lines, per kind and language; absent where nobody counted. */
  receipts: z.array(ReceiptTotal).optional(),
  /** The same for each line of the change. */
  lines: z.array(FileReceipt).optional(),
  /** Languages that no rule knows, in a review without a model; such a review is complete, and no pass. Absent: none. */
  unknownLanguages: z.array(UnknownLanguage).optional(),
  /** True: every file of the change is excluded, not all by the operator: such a review is complete, and no pass. */
  onlyExcluded: z.literal(true).optional(),
});
export type Coverage = z.output<typeof Coverage>;

export const Spent = z.object({
  turns: z.number().int().nonnegative(),
  modelCalls: z.number().int().nonnegative(),
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cachedTokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative(),
  wallMs: z.number().int().nonnegative(),
});
export type Spent = z.output<typeof Spent>;

/** What one run produces. It is never a comment: guard decides what of it may be posted. */
export const Draft = z.object({
  runId: RunId,
  head: CommitSha,
  base: CommitSha,
  summary: z.string().max(20_000),
  findings: z.array(DraftFinding).max(500),
  answers: z.array(ThreadAnswer).max(500),
  coverage: Coverage,
  spent: Spent,
});
export type Draft = z.output<typeof Draft>;

/** Text that went through `text/sanitize`: the only kind that a forge adapter accepts for writing. */
export type PostableBody = string & { readonly __brand: 'PostableBody' };
