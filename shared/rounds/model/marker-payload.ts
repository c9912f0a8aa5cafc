/** The content of markers. Markers are the only permanent state of a change request, so fields may be added but never changed. */
import { z } from 'zod';
import { MAX_LEFT } from '../../diff/paths/left-paths.ts';
import { BranchName } from './input.ts';
import { CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';
import { Action, Severity, Side, Stance, Verdict } from '../../vocabulary/finding.ts';
import { Spent } from '../../vocabulary/spent.ts';

const Count = z.number().int().nonnegative().max(1_000_000);
const EpochSeconds = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** A hash in lower-case hex, computed in `shared/diff`. */
export const Fingerprint = z.string().regex(/^[0-9a-f]{8,128}$/);
export type Fingerprint = z.output<typeof Fingerprint>;

/**
 * - `unverified`: a P0 or P1 claim whose evidence was not found. It has no thread, and no input passes while it exists.
 *   Becomes `open` if a later review confirms it, `resolved` if a later review refutes it, or `dismissed` by a commander.
 * - `open`: the author has to act, and the bot may still reply. Can become any other state except `unverified`.
 * - `vetoed`, `escalated`: settled, which means handed to a human. The bot no longer replies, and the thread still blocks.
 *   Becomes `resolved` if it is shown to be fixed, or `dismissed`.
 * - `resolved`: closed. If the finding is raised again, it becomes a new finding.
 * - `dismissed`: closed by a commander permanently. Not raised again while its code is unchanged.
 */
export const FindingState = z.enum(['unverified', 'open', 'resolved', 'vetoed', 'escalated', 'dismissed']);
export type FindingState = z.output<typeof FindingState>;

export const LEDGER_TITLE_LENGTH = 80;

export const LedgerEntry = z.object({
  id: FindingId,
  fp: Fingerprint,
  severity: Severity,
  blocking: z.boolean(),
  state: FindingState,
  count: Count,
  stance: Stance,
  /** The last review that raised or handled the finding. */
  review: Count,
  path: z.string().min(1).max(4096),
  side: Side,
  line: z.number().int().positive(),
  /** The first of several lines. Absent if the place is one line. */
  start: z.number().int().positive().optional(),
  /** The head that the lines belong to. Absent if it is `placesAt` of the summary. */
  head: CommitSha.optional(),
  /** Set if the thread was closed and the finding was raised again without opening a new thread. */
  again: z.literal(true).optional(),
  /** Set if the finding was only listed in the summary, because no room or no round was left for its thread. */
  listed: z.literal(true).optional(),
  /** Set if the code is outside the diff of the last reviewed input; then the finding does not block. */
  outside: z.literal(true).optional(),
  /** Set if the change breaks the code without touching it. */
  required: z.literal(true).optional(),
  title: z.string().max(LEDGER_TITLE_LENGTH),
  rule: z.string().max(200).nullable(),
});
export type LedgerEntry = z.output<typeof LedgerEntry>;

/** Limits what is stored, because every later summary of the bot contains it again. */
export const MAX_REMEMBERED_COMMANDS = 10;
export const MAX_COMMAND_NAME = 60;

export const RememberedCommand = z.object({
  name: z.string().min(1).max(MAX_COMMAND_NAME),
  result: z.enum(['passed', 'failed', 'not_run']),
});
export type RememberedCommand = z.output<typeof RememberedCommand>;

export const MAX_OTHER_BASES = 8;

export const MarkedInput = z.object({
  head: CommitSha,
  /** The merge base. If there are several, this is the one with the smallest id. */
  base: CommitSha,
  otherBases: z.array(CommitSha).max(MAX_OTHER_BASES).readonly().optional(),
  target: BranchName,
  /** The tip of the target branch when `base` was computed. */
  targetHead: CommitSha,
  /** Hash of the review rules set by the target branch and the operator. A verdict is carried only if the rules are equal. */
  rules: Fingerprint,
  fingerprint: Fingerprint,
  review: Count,
  verdict: Verdict,
  /** False if files were left out. Unless `left` names them, the next review is not compared with this one. Absent if complete. */
  complete: z.boolean().optional(),
  /** What was left out, if that can be named: files, and folders that end with a slash. The next review can then be compared. */
  left: z.array(z.string().min(1).max(4096)).max(MAX_LEFT).readonly().optional(),
  /** Who reviewed every line that needed review. Absent if this is unknown. */
  seenBy: z.enum(['model', 'rules']).optional(),
  /** True if nothing or only threads prevented a pass. Absent if this is unknown. */
  clear: z.boolean().optional(),
  /** True when only CI prevented a pass. */
  onlyCi: z.literal(true).optional(),
  /** True when only validations, or validations and CI, prevented a pass. */
  onlyChecks: z.literal(true).optional(),
  exceeded: z.literal(true).optional(),
  commands: z.array(RememberedCommand).max(MAX_REMEMBERED_COMMANDS).readonly().optional(),
});
export type MarkedInput = z.output<typeof MarkedInput>;

const InputFields = z.object({
  target: BranchName,
  targetHead: CommitSha,
  /** The merge base that the forge reported. Null if it reported none. */
  mergeBase: CommitSha.nullable(),
});
export type InputMarker = z.output<typeof InputFields> & { readonly head: CommitSha };

const Common = z.object({
  /** `changeRequestKey` of the change request. Markers of other change requests are ignored; see `keyOnForge`. */
  cr: z.string().min(1).max(120),
  review: Count,
  attempt: Count,
  run: RunId,
});

/** The threads that a reply run answers. It takes into account the replies up to the comment `note`. */
export const ReplyScope = z.object({ threads: z.array(FindingId).max(200), note: z.number().int().nonnegative() });
export type ReplyScope = z.output<typeof ReplyScope>;

export const SummaryMarker = Common.extend(InputFields.shape).extend({
  kind: z.literal('summary'),
  phase: z.enum(['reviewing', 'posted', 'failed']),
  head: CommitSha,
  /** The merge base of the last complete review. Null before the first complete review. */
  base: CommitSha.nullable(),
  until: EpochSeconds.nullable(),
  runs: Count,
  /** Completed reviews so far that asked the author for something. Absent means 0. */
  rounds: Count.optional(),
  /** Completed reviews so far that asked the author for nothing. Absent means 0. */
  silent: Count.optional(),
  /** Heads so far whose verdict was carried from another head. Absent means 0. */
  carried: Count.optional(),
  superseded: Count,
  verdict: Verdict.nullable(),
  reviewed: z.array(MarkedInput).max(200),
  ledger: z.array(LedgerEntry).max(200),
  /** The head that the lines of the ledger belong to. Absent before the first review. */
  placesAt: CommitSha.optional(),
  spent: Spent,
  nextId: Count,
  /** `replies`, `full` and `carry` are set only while a run of that kind is in progress. */
  replies: ReplyScope.optional(),
  full: z.literal(true).optional(),
  /** Rounds that commanders granted beyond the cap. Absent before the first grant. */
  grants: Count.optional(),
  /** When the most recent rounds were granted, epoch seconds, oldest first. */
  grantedAt: z.array(EpochSeconds).max(3).readonly().optional(),
  /** Number of pauses and resumes; odd while paused. Absent before the first pause. */
  pauses: Count.optional(),
  /** How often a head was closed because something was unavailable. Absent before the first outage. */
  outages: Count.optional(),
  /** When a parked input is retried; 0 means after a restart. Only set while an input is parked. */
  retryAt: EpochSeconds.optional(),
  /** `fixes`: number of ordered fixes. `fixReview`: the review that the last fix addresses. Absent before the first fix. */
  fixes: Count.optional(),
  /** Round limit from the target branch's settings at the last review, without grants. Absent if the settings have no limit. */
  cap: Count.optional(),
  fixReview: Count.optional(),
  /** Number of the last fix whose cost is included in `spent`. Absent before the first fix with a cost. */
  fixSpent: Count.optional(),
});
export type SummaryMarker = z.output<typeof SummaryMarker>;

/** Model names that are longer are cut. */
export const MAX_MODEL_NAME = 100;

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
  /** The model that made the claim, or the kind of runner if its model is unknown. Absent for a rule. */
  model: z.string().max(MAX_MODEL_NAME).optional(),
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
  /** Set if the reply was posted between two reviews: it answers all comments up to the comment with this id. */
  note: z.number().int().nonnegative().optional(),
});
export type ReplyMarker = z.output<typeof ReplyMarker>;

const HandoffReason = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

export const MAX_CLOSED = 100;

export const MAX_CALLED = 3;
/** A name may begin with a dot on GitLab. This version reads such a name; the next one may write it. */
const CalledName = z.string().regex(/^[\w.-][\w./-]{0,1000}$/);
export const WrittenName = z.string().regex(/^\w[\w./-]{0,1000}$/);

/** One hand-off comment per episode: it is edited until the next review is completed. */
export const HandoffMarker = Common.extend(InputFields.shape).extend({
  kind: z.literal('handoff'),
  /** Number of completed reviews, including the review that this hand-off ends. */
  episode: Count,
  head: CommitSha,
  reason: HandoffReason,
  /** Runs so far. Set if the forge has no summary that counts them. */
  runs: Count.optional(),
  /** Earlier inputs of the same episode, oldest first. Absent if there are none. */
  closed: z
    .array(InputFields.extend({ head: CommitSha, reason: HandoffReason }))
    .max(MAX_CLOSED)
    .optional(),
  /**
   * The people whom the first version of the hand-off mentioned; edits do not mention them again. Absent if it
   * mentioned nobody.
   */
  called: z.array(CalledName).min(1).max(MAX_CALLED).optional(),
});
export type HandoffMarker = z.output<typeof HandoffMarker>;

export const NoticeMarker = Common.extend({
  kind: z.literal('notice'),
  head: CommitSha,
  verdict: Verdict,
  /** Set if the verdict changed between two reviews. */
  between: z.literal(true).optional(),
});
export type NoticeMarker = z.output<typeof NoticeMarker>;

/** `note` is the id of the human comment that was answered. */
export const AnswerMarker = Common.extend({
  kind: z.literal('answer'),
  note: z.string().min(1).max(100),
  /** The finding that the commander with the id `by` dismissed in that comment. */
  dismisses: z.object({ id: FindingId, fp: Fingerprint, by: z.number().int() }).optional(),
  pauses: Count.optional(),
});
export type AnswerMarker = z.output<typeof AnswerMarker>;

/** The author's reason not to fix one finding. Does not change the state of the thread. */
export const DeclineMarker = Common.extend({
  kind: z.literal('decline'),
  id: FindingId,
  fp: Fingerprint,
  head: CommitSha,
});
export type DeclineMarker = z.output<typeof DeclineMarker>;

/** `head` is the head from which the fix started. */
export const FixMarker = Common.extend({
  kind: z.literal('fix'),
  number: Count,
  head: CommitSha,
  outcome: z.enum(['pushed', 'head_moved']),
  pushed: CommitSha.nullable(),
  tree: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
    .nullable(),
});
export type FixMarker = z.output<typeof FixMarker>;

/** The last model output of a run in which no review could be parsed. It is not part of the state. */
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
