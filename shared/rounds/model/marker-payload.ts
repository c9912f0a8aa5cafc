/** What a marker says. The state of every change request lives in these, so fields are added, never changed. */
import { z } from 'zod';
import { BranchName } from './input.ts';
import { CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';
import { Action, Severity, Side, Stance, Verdict } from '../../vocabulary/finding.ts';
import { Spent } from '../../vocabulary/spent.ts';

const Count = z.number().int().nonnegative().max(1_000_000);
const EpochSeconds = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** A hash in lower-case hex. Whose hash it is, `shared/diff` knows. */
export const Fingerprint = z.string().regex(/^[0-9a-f]{8,128}$/);
export type Fingerprint = z.output<typeof Fingerprint>;

/**
 * - `unverified`: claimed without evidence: no input passes while it is there. Left for `open` when a later review confirms
 *   it, for `resolved` when one refutes it, and by a commander's dismissal.
 * - `open`: the bot may still argue. Left by every other state.
 * - `vetoed`, `escalated`: handed to a human (settled); blocks on. Left only by `resolved`, when shown fixed.
 * - `resolved`: closed; never left. A regression is a new finding.
 * - `dismissed`: closed by a commander; never left, and not raised again while its code is the same.
 */
export const FindingState = z.enum(['unverified', 'open', 'resolved', 'vetoed', 'escalated', 'dismissed']);
export type FindingState = z.output<typeof FindingState>;

export const LEDGER_TITLE_LENGTH = 80;

/** One finding in the summary's ledger. */
export const LedgerEntry = z.object({
  id: FindingId,
  fp: Fingerprint,
  severity: Severity,
  blocking: z.boolean(),
  state: FindingState,
  /** Cycles of the thread so far. */
  count: Count,
  stance: Stance,
  /** The round that raised it or handled it last. */
  round: Count,
  path: z.string().min(1).max(4096),
  side: Side,
  line: z.number().int().positive(),
  /** The first of several lines. Absent: `line`. */
  start: z.number().int().positive().optional(),
  /** The head that the lines count in. Absent: the summary's `placesAt`. */
  head: CommitSha.optional(),
  /** Closed, and raised again since in a way that opens no thread. */
  again: z.literal(true).optional(),
  title: z.string().max(LEDGER_TITLE_LENGTH),
  /** The built-in rule that made the claim, or null when a model did. */
  rule: z.string().max(200).nullable(),
});
export type LedgerEntry = z.output<typeof LedgerEntry>;

/** More of one head, and longer names, are cut: every later comment of the bot carries them. */
export const MAX_REMEMBERED_COMMANDS = 10;
export const MAX_COMMAND_NAME = 60;

export const RememberedCommand = z.object({
  name: z.string().min(1).max(MAX_COMMAND_NAME),
  result: z.enum(['passed', 'failed', 'not_run']),
});
export type RememberedCommand = z.output<typeof RememberedCommand>;

/** More merge bases than that are not kept apart. */
export const MAX_OTHER_BASES = 8;

export const MarkedInput = z.object({
  head: CommitSha,
  /** Merge base; with several the one with the smallest id. */
  base: CommitSha,
  otherBases: z.array(CommitSha).max(MAX_OTHER_BASES).readonly().optional(),
  target: BranchName,
  /** Tip of the target branch that the base was computed with. */
  targetHead: CommitSha,
  /** Hash of what the target branch and the operator asked of the code: a verdict goes to no place with other rules. */
  rules: Fingerprint,
  /** Of the patch. */
  fingerprint: Fingerprint,
  round: Count,
  verdict: Verdict,
  /** False when files were left out: the next round is not compared with it. Absent: complete. */
  complete: z.boolean().optional(),
  /** Who looked at every line that had to be looked at; absent: unknown. */
  seenBy: z.enum(['model', 'rules']).optional(),
  /** True: nothing but its threads kept it from a pass, or nothing at all. Absent: unknown. */
  clear: z.boolean().optional(),
  /** True: nothing but its CI kept it from a pass. */
  onlyCi: z.literal(true).optional(),
  /** True: nothing but validations, alone or with its CI, kept it from a pass. */
  onlyChecks: z.literal(true).optional(),
  /** True: a budget of the reviewer was used up before the review came to its end. */
  exceeded: z.literal(true).optional(),
  /** The operator's commands that were run on it, by their names. Absent: none. */
  commands: z.array(RememberedCommand).max(MAX_REMEMBERED_COMMANDS).readonly().optional(),
});
export type MarkedInput = z.output<typeof MarkedInput>;

/** What a word is about, beside its head. */
const InputFields = z.object({
  target: BranchName,
  targetHead: CommitSha,
  /** As the forge gave it; null when it gave none. */
  mergeBase: CommitSha.nullable(),
});
export type InputMarker = z.output<typeof InputFields> & { readonly head: CommitSha };

const Common = z.object({
  /** `changeRequestKey` of the change request that the marker belongs to: the reader compares it with its own. */
  cr: z.string().min(1).max(120),
  round: Count,
  attempt: Count,
  run: RunId,
});

/** What a run replies to that reviews nothing: these threads, with all that people said up to the comment `note`. */
export const ReplyScope = z.object({ threads: z.array(FindingId).max(200), note: z.number().int().nonnegative() });
export type ReplyScope = z.output<typeof ReplyScope>;

export const SummaryMarker = Common.extend(InputFields.shape).extend({
  kind: z.literal('summary'),
  phase: z.enum(['reviewing', 'posted', 'failed']),
  head: CommitSha,
  /** Merge base of the last complete review; null before the first. */
  base: CommitSha.nullable(),
  /** Deadline of the running run; null when none runs. */
  until: EpochSeconds.nullable(),
  /** Runs used so far, whatever became of them. */
  runs: Count,
  /** Runs superseded in a row. */
  superseded: Count,
  verdict: Verdict.nullable(),
  reviewed: z.array(MarkedInput).max(200),
  ledger: z.array(LedgerEntry).max(200),
  /** The head that the lines of the ledger count in. Absent before the first review. */
  placesAt: CommitSha.optional(),
  spent: Spent,
  /** Highest finding number given out so far. */
  nextId: Count,
  /** Only while a run is at work that replies in threads. */
  replies: ReplyScope.optional(),
  /** Only while a run is at work that reviews everything anew. */
  full: z.literal(true).optional(),
  /** Only while a run is at work that may only carry a verdict. */
  carry: z.literal(true).optional(),
  /** Rounds that commanders granted beyond the cap. Absent before the first. */
  grants: Count.optional(),
  /** How often it was paused and resumed; odd while paused. Absent before the first. */
  pauses: Count.optional(),
  /** How often heads were closed because something was away. Absent before the first. */
  outages: Count.optional(),
  /** Only while the head waits for that: from when it is tried again; 0: after a restart. */
  retryAt: EpochSeconds.optional(),
  /** Fixes ordered so far, and the round that the last one answers. Absent before the first. */
  fixes: Count.optional(),
  /** Rounds that the target branch's settings allowed at the last one, grants not counted. Absent: what the operator allows. */
  cap: Count.optional(),
  fixRound: Count.optional(),
  /** The last fix whose price is in `spent`. Absent before the first that cost anything. */
  fixSpent: Count.optional(),
});
export type SummaryMarker = z.output<typeof SummaryMarker>;

export const FindingMarker = Common.extend({
  kind: z.literal('finding'),
  id: FindingId,
  fp: Fingerprint,
  count: Count,
  stance: Stance,
  severity: Severity,
  blocking: z.boolean(),
  state: FindingState,
  head: CommitSha,
  base: CommitSha,
  path: z.string().min(1).max(4096),
  side: Side,
  startLine: z.number().int().positive(),
  line: z.number().int().positive(),
  title: z.string().max(200),
  rule: z.string().max(200).nullable(),
  /** Patch fingerprint, or null where none could be made. */
  patch: Fingerprint.nullable(),
});
export type FindingMarker = z.output<typeof FindingMarker>;

export const ReplyMarker = Common.extend({
  kind: z.literal('reply'),
  id: FindingId,
  fp: Fingerprint,
  action: Action,
  count: Count,
  stance: Stance,
  severity: Severity,
  head: CommitSha,
  /** Said between two rounds, as an answer to everything up to this comment. Absent: said in a round. */
  note: z.number().int().nonnegative().optional(),
});
export type ReplyMarker = z.output<typeof ReplyMarker>;

/** Short code, such as `max_rounds_exceeded`. */
const HandoffReason = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

export const MAX_CLOSED = 100;

export const MAX_CALLED = 3;
const CalledName = z.string().regex(/^\w[\w./-]{0,1000}$/);

/** One for each episode: it is edited until another review is completed. */
export const HandoffMarker = Common.extend(InputFields.shape).extend({
  kind: z.literal('handoff'),
  /** Reviews that were completed when it was written, the one that it ends included. */
  episode: Count,
  /** Of the newest input that it is about. */
  head: CommitSha,
  reason: HandoffReason,
  /** The inputs before, oldest first. Absent: none. */
  closed: z
    .array(InputFields.extend({ head: CommitSha, reason: HandoffReason }))
    .max(MAX_CLOSED)
    .optional(),
  /** Whom its first text has mentioned: no edit does it again. Absent: nobody. */
  called: z.array(CalledName).min(1).max(MAX_CALLED).optional(),
});
export type HandoffMarker = z.output<typeof HandoffMarker>;

export const NoticeMarker = Common.extend({
  kind: z.literal('notice'),
  head: CommitSha,
  verdict: Verdict,
  /** The verdict changed between two rounds. */
  between: z.literal(true).optional(),
});
export type NoticeMarker = z.output<typeof NoticeMarker>;

/** `note` is the id of the human comment that was answered. */
export const AnswerMarker = Common.extend({
  kind: z.literal('answer'),
  note: z.string().min(1).max(100),
  /** The finding that the commander with the id `by` has dismissed in that comment. */
  dismisses: z.object({ id: FindingId, fp: Fingerprint, by: z.number().int() }).optional(),
  /** As in the summary. */
  pauses: Count.optional(),
});
export type AnswerMarker = z.output<typeof AnswerMarker>;

/** The author's answer to one finding that it leaves as it is. It changes nothing about the thread's state. */
export const DeclineMarker = Common.extend({
  kind: z.literal('decline'),
  id: FindingId,
  fp: Fingerprint,
  head: CommitSha,
});
export type DeclineMarker = z.output<typeof DeclineMarker>;

/** How one fix ended. `head` is what it worked on. */
export const FixMarker = Common.extend({
  kind: z.literal('fix'),
  number: Count,
  head: CommitSha,
  outcome: z.enum(['pushed', 'head_moved']),
  /** What was pushed, and its tree; null when nothing was. */
  pushed: CommitSha.nullable(),
  tree: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
    .nullable(),
});
export type FixMarker = z.output<typeof FixMarker>;

/** The last words of a run that nobody could read as a review. They say nothing about the change request. */
export const RawMarker = Common.extend({ kind: z.literal('raw'), head: CommitSha });
export type RawMarker = z.output<typeof RawMarker>;

export const MarkerPayload = z.discriminatedUnion('kind', [
  SummaryMarker,
  FindingMarker,
  ReplyMarker,
  HandoffMarker,
  NoticeMarker,
  AnswerMarker,
  DeclineMarker,
  FixMarker,
  RawMarker,
]);
export type MarkerPayload = z.output<typeof MarkerPayload>;
