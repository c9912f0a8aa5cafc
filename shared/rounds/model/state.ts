/** What guard keeps per change request while work is in progress. Lost with Redis, rebuilt from the forge's markers. */
import { z } from 'zod';
import { BranchName, Input } from './input.ts';
import { CommitSha } from '../../vocabulary/ids.ts';
import { Run } from './run.ts';
import { Fix } from './fixes.ts';
import { Effect } from './effect.ts';

/** More calls than this on one change request are nobody's conversation. */
export const MAX_SEEN_COMMANDS = 500;

/** See `heard.ts`. `untilMs`: epoch ms of the forge's clock. */
export const SeenCommands = z.object({ untilMs: z.number(), keys: z.array(z.string().max(60)).max(MAX_SEEN_COMMANDS) });
export type SeenCommands = z.output<typeof SeenCommands>;

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
  seenCommands: SeenCommands.nullable().default(null),
  /** The newest answer in a thread that was seen: until then others may join it. Epoch ms. */
  replyDebounce: z.object({ noteId: z.number().int(), untilMs: z.number().int() }).nullable().default(null),
  /** Failed attempts to answer the answers that wait. */
  failedReplies: z.number().int().nonnegative().default(0),
  /** What the commander wrote who asked for the review of this input. */
  asked: Input.extend({ full: z.boolean(), instructions: z.string().max(4000) })
    .nullable()
    .default(null),
  /** Rounds that commanders granted beyond the cap. */
  granted: z.number().int().nonnegative().default(0),
  /** How often it was paused and resumed; odd while paused. */
  pauses: z.number().int().nonnegative().default(0),
  /** For which dismissals the verdict was looked at again. */
  reevaluatedFor: z.string().nullable().default(null),
  /** The head that nothing but its CI keeps from a pass: no forge tells of every status, so the sweep looks. */
  heldByCi: CommitSha.nullable().default(null),
  /** The present input, and the one whose status or approval was taken back for it. */
  withdrawnFor: z.string().nullable().default(null),
  /** The commit whose status it takes part in, its target branch, and where the gate looks at it; null: none. */
  placed: z.object({ head: CommitSha, target: BranchName, part: z.string().optional() }).nullable().default(null),
  /** When the present head was first seen, epoch ms: until some time after that CI may begin. */
  firstSeen: z.object({ head: CommitSha, atMs: z.number().int() }).nullable().default(null),
  /** What an author outside has heard last; null: nothing. */
  authorNotifiedOf: z.string().max(64).nullable().default(null),
  fixing: Fix.nullable().default(null),
  /** Fixes ordered so far, whatever became of them. */
  fixesUsed: z.number().int().nonnegative().default(0),
  /** The last round that a fix was ordered for; 0: none. */
  fixedRound: z.number().int().nonnegative().default(0),
  outbox: z.array(Effect),
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
  seenCommands: null,
  replyDebounce: null,
  failedReplies: 0,
  asked: null,
  granted: 0,
  pauses: 0,
  reevaluatedFor: null,
  heldByCi: null,
  withdrawnFor: null,
  placed: null,
  firstSeen: null,
  authorNotifiedOf: null,
  fixing: null,
  fixesUsed: 0,
  fixedRound: 0,
  outbox: [],
});
