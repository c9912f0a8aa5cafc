/** What guard keeps per change request while work is in progress. Lost with Redis, rebuilt from the forge's markers. */
import { z } from 'zod';
import { TalkScope } from './marker-payload.ts';
import { Carried } from './carried.ts';
import { CiReading } from './ci.ts';
import { InboxEvent, OutageKind } from './events.ts';
import { BranchName, Input } from './input.ts';
import { Say } from './say.ts';
import { CommitSha, RunId } from '../../vocabulary/ids.ts';
import { Verdict } from '../../vocabulary/finding.ts';

/**
 * - `announcing`: the poster writes pending status and marker; left by its report.
 * - `reviewing`: the review job exists; left by drafted, superseded, failed or overdue.
 * - `waiting_ci`: the round is ready and would pass, but the CI of its head has not ended; left by its end, the deadline
 *   or a newer head.
 * - `posting`: the plan of the round is with the poster; left by its report.
 * - `giving_up`: every attempt failed; the poster writes the hand-off; left by its report.
 */
export const RunPhase = z.enum(['announcing', 'reviewing', 'waiting_ci', 'posting', 'giving_up']);
export type RunPhase = z.output<typeof RunPhase>;

export const Run = Input.extend({
  runId: RunId,
  round: z.number().int().positive(),
  attempt: z.number().int().positive(),
  mustFinish: z.boolean(),
  phase: RunPhase,
  /** The plan that the poster works on, in the phases that wait for it. */
  planId: z.string().nullable(),
  /** What the commander who asked for it wrote beside the mention; absent for nothing. */
  instructions: z.string().max(4000).optional(),
  /** Present for a review of the whole change, whatever was reviewed before. */
  full: z.literal(true).optional(),
  /** Present for a run without a round left: it carries the verdict of the same input, or ends without one. */
  onlyCarry: z.literal(true).optional(),
  /** Present for a run that reviews nothing and only answers threads of its round. */
  talk: TalkScope.optional(),
  /** Present once it is known that this change has been reviewed: its verdict is carried, and no round is used. */
  carried: Carried.optional(),
  /** Present once its job has waited for something that is away, in this phase: its deadline has moved for that. */
  waits: z.object({ what: OutageKind, code: z.string().max(80) }).optional(),
  /** Only while it waits for CI: when it looks again at the latest. Epoch ms. */
  nextLookMs: z.number().int().optional(),
  /** Epoch ms: past it the run counts as failed, in every phase but `waiting_ci`, which it ends. */
  deadlineMs: z.number().int(),
});
export type Run = z.output<typeof Run>;

/** How a fix ended, as the author or guard's own clock reports it. */
export const FixEnd = z.object({
  kind: z.enum(['fixed', 'stopped', 'failed']),
  code: z.string().max(80).nullable(),
  pushed: CommitSha.nullable(),
});
export type FixEnd = z.output<typeof FixEnd>;

/**
 * - `announcing`: the poster writes the count into the summary's marker; left by its report.
 * - `working`: the fix job exists; left by the author's report or the deadline.
 * - `telling`: the poster says how it ended; left by its report. No review starts before.
 */
export const FixPhase = z.enum(['announcing', 'working', 'telling']);

/** One order to the author. At most one at a time, and none while a review runs. */
export const Fix = z.object({
  runId: RunId,
  head: CommitSha,
  /** The round whose findings it answers. */
  round: z.number().int().positive(),
  /** Which fix of the change request it is, from 1. */
  number: z.number().int().positive(),
  phase: FixPhase,
  planId: z.string().nullable(),
  /** Epoch ms: past it the fix counts as failed, in every phase. */
  deadlineMs: z.number().int(),
  /** The commander who asked; null when guard ordered it by itself. */
  requester: z.object({ id: z.number().int(), login: z.string() }).nullable(),
  /** Present once its job has waited for something that is away: its deadline has moved for that. */
  waits: z.literal(true).optional(),
  /** Null until it is told. */
  end: FixEnd.nullable(),
});
export type Fix = z.output<typeof Fix>;

/**
 * The fixed sentences by which the bot answers a request for a fix that leads to none. `not_allowed` is not ordered any
 * more; orders of earlier versions may still wait.
 */
export const FixRefusal = z.enum(['not_allowed', 'off', 'fork', 'protected', 'busy', 'not_reviewed', 'nothing', 'cap']);
export type FixRefusal = z.output<typeof FixRefusal>;

/** Why a head gets a last word without a run. `identity`: our signature stands under an account that is not ours. */
export const Cap = z.enum(['rounds', 'runs', 'identity']);
export type Cap = z.output<typeof Cap>;

export const FailureCode = z.string().max(80);

/** What guard still has to do outside. Saved with the state before it is carried out: a crash repeats, never forgets. */
export const Command = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('announce'), run: Run, runsUsed: z.number().int(), supersededInRow: z.number().int() }),
  /** The trigger is seen: a reaction under the comment that asked, and a pending status, before anything else. */
  z.object({
    kind: z.literal('acknowledge'),
    input: Input,
    noteId: z.number().int().nullable(),
    noticeId: RunId,
  }),
  z.object({ kind: z.literal('review'), run: Run }),
  /** `ci`: as it was read when the round was ready; null when it does not matter. */
  z.object({ kind: z.literal('post_round'), run: Run, ci: CiReading.nullable().default(null) }),
  z.object({
    kind: z.literal('give_up'),
    run: Run,
    code: FailureCode,
    /** Present when nothing of the run counts and its head is tried again. `untilMs` null: after a restart. */
    outage: z
      .object({ what: OutageKind, retry: z.number().int().positive(), untilMs: z.number().int().nullable() })
      .optional(),
  }),
  z.object({
    kind: z.literal('tell_outage'),
    run: Run,
    what: OutageKind,
    code: z.string().max(80),
    noticeId: RunId,
  }),
  z.object({ kind: z.literal('post_cap'), input: Input, cap: Cap, noticeId: RunId }),
  /** `pending`: the status of the commit is about another input, or about none. */
  z.object({ kind: z.literal('withdraw_approval'), input: Input, pending: z.boolean(), noticeId: RunId }),
  /** The status of this commit is to be what its open change requests say. */
  z.object({
    kind: z.literal('write_status'),
    head: CommitSha,
    noticeId: RunId,
    /** Its review is due: then also where nothing was said before. */
    isDue: z.boolean().default(false),
    /** The change request has left it: what waits there is ended. */
    left: z.boolean().default(false),
    /** What keeps it from its review; null for nothing. */
    waits: z.string().max(140).nullable().default(null),
  }),
  /** The change request ended while these heads waited for their verdict. */
  z.object({ kind: z.literal('post_closed'), heads: z.array(CommitSha), noticeId: RunId }),
  z.object({ kind: z.literal('schedule'), event: InboxEvent, delayMs: z.number().int().nonnegative() }),
  z.object({ kind: z.literal('announce_fix'), fix: Fix }),
  z.object({ kind: z.literal('fix'), fix: Fix }),
  z.object({ kind: z.literal('tell_fix'), fix: Fix }),
  z.object({
    kind: z.literal('refuse_fix'),
    head: CommitSha,
    noteId: z.number().int(),
    refusal: FixRefusal,
    noticeId: RunId,
  }),
  z.object({
    kind: z.literal('answer'),
    head: CommitSha,
    /** `callKey` of the comment that asked, and the thread in which it stands. */
    note: z.string().max(60),
    threadId: z.string().nullable(),
    say: Say,
    noticeId: RunId,
  }),
  /** The run sleeps until a reviewer outside has answered. */
  z.object({ kind: z.literal('resume_review'), runId: RunId }),
  z.object({
    kind: z.literal('tell_author'),
    head: CommitSha,
    round: z.number().int().positive(),
    verdict: Verdict,
    failed: z.boolean(),
    /** A budget of the reviewer was used up before the review came to its end. */
    exceeded: z.boolean(),
    /** Epoch ms: the time of the message, the same however often this is carried out. */
    atMs: z.number().int().nonnegative(),
  }),
  z.object({ kind: z.literal('acquire_slot') }),
  z.object({ kind: z.literal('release_slot') }),
]);
export type Command = z.output<typeof Command>;

/** More calls than this on one change request are nobody's conversation. */
export const MAX_HEARD = 500;

/** See `heard.ts`. `untilMs`: epoch ms of the forge's clock. */
export const Heard = z.object({ untilMs: z.number(), keys: z.array(z.string().max(60)).max(MAX_HEARD) });
export type Heard = z.output<typeof Heard>;

/** An input that was closed because something was away, or because the configuration does not work. */
export const Parked = Input.extend({
  code: z.string().max(80),
  /** Epoch ms from which it is tried again; null: after a restart. */
  untilMs: z.number().int().nullable(),
  sinceMs: z.number().int(),
  /** It is wanted again; its run has been counted before. */
  again: z.boolean(),
});
export type Parked = z.output<typeof Parked>;

export const GuardState = z.object({
  v: z.literal(1),
  running: Run.nullable(),
  /** The newest input that is to be reviewed; a run on another one stops when it sees it. */
  wanted: Input.nullable(),
  /** A head that waits for the pushes to calm down before it is wanted. */
  quiet: z.object({ head: CommitSha, untilMs: z.number().int() }).nullable(),
  slotHeld: z.boolean(),
  roundsDone: z.number().int().nonnegative(),
  /** Failed attempts of the round in progress. */
  failedAttempts: z.number().int().nonnegative(),
  runsUsed: z.number().int().nonnegative(),
  supersededInRow: z.number().int().nonnegative(),
  /** Of one that the forge does not show as reviewed yet, the merge base is not known. */
  reviewed: z.array(Input.extend({ otherBases: z.array(CommitSha).readonly().optional() })),
  /** Those that got their last word without a completed round: given up, or beyond a cap. */
  closed: z.array(Input),
  parked: Parked.nullable().default(null),
  /** How often heads were parked; only rises. */
  outages: z.number().int().nonnegative().default(0),
  /** Null until something was decided. */
  heard: Heard.nullable().default(null),
  /** The newest answer in a thread that was seen: until then others may join it. Epoch ms. */
  listening: z.object({ noteId: z.number().int(), untilMs: z.number().int() }).nullable().default(null),
  /** Failed attempts to answer the answers that wait. */
  failedTalks: z.number().int().nonnegative().default(0),
  /** What the commander wrote who asked for the review of this input. */
  asked: Input.extend({ full: z.boolean(), instructions: z.string().max(4000) })
    .nullable()
    .default(null),
  /** Rounds that commanders granted beyond the cap. */
  granted: z.number().int().nonnegative().default(0),
  /** How often it was paused and resumed; odd while paused. */
  pauses: z.number().int().nonnegative().default(0),
  /** For which dismissals the verdict was looked at again. */
  restated: z.string().nullable().default(null),
  /** The head that nothing but its CI keeps from a pass: no forge tells of every status, so the sweep looks. */
  heldByCi: CommitSha.nullable().default(null),
  /** The present input, and the one whose status or approval was taken back for it. */
  withdrawnFor: z.string().nullable().default(null),
  /** The commit whose status it takes part in, its target branch, and where the gate looks at it; null: none. */
  placed: z.object({ head: CommitSha, target: BranchName, part: z.string().optional() }).nullable().default(null),
  /** When the present head was first seen, epoch ms: until some time after that CI may begin. */
  firstSeen: z.object({ head: CommitSha, atMs: z.number().int() }).nullable().default(null),
  /** What an author outside has heard last; null: nothing. */
  told: z.string().max(64).nullable().default(null),
  fixing: Fix.nullable().default(null),
  /** Fixes ordered so far, whatever became of them. */
  fixesUsed: z.number().int().nonnegative().default(0),
  /** The last round that a fix was ordered for; 0: none. */
  fixedRound: z.number().int().nonnegative().default(0),
  outbox: z.array(Command),
});
export type GuardState = z.output<typeof GuardState>;

export const emptyState = (): GuardState => ({
  v: 1,
  running: null,
  wanted: null,
  quiet: null,
  slotHeld: false,
  roundsDone: 0,
  failedAttempts: 0,
  runsUsed: 0,
  supersededInRow: 0,
  reviewed: [],
  closed: [],
  parked: null,
  outages: 0,
  heard: null,
  listening: null,
  failedTalks: 0,
  asked: null,
  granted: 0,
  pauses: 0,
  restated: null,
  heldByCi: null,
  withdrawnFor: null,
  placed: null,
  firstSeen: null,
  told: null,
  fixing: null,
  fixesUsed: 0,
  fixedRound: 0,
  outbox: [],
});
