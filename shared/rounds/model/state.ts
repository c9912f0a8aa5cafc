/** Guard's state per change request. It is stored in Redis; if it is lost, it is rebuilt from the forge's markers. */
import { z } from 'zod';
import { BranchName, Input } from './input.ts';
import { CommitSha } from '../../vocabulary/ids.ts';
import { Counts, NO_COUNTS } from './counts.ts';
import { MAX_ONLY, Run } from './run.ts';
import { Fix } from './fixes.ts';
import { Effect } from './effect.ts';
import { Timing } from './timing.ts';

export const MAX_SEEN_COMMANDS = 500;

/** Maximum number of rounds that commanders may grant within 24 hours. */
export const MAX_GRANTS_PER_DAY = 3;

/** The commands that were handled; see `seen-commands.ts`. `untilMs`: epoch ms on the forge's clock. */
export const SeenCommands = z.object({ untilMs: z.number(), keys: z.array(z.string().max(60)).max(MAX_SEEN_COMMANDS) });
export type SeenCommands = z.output<typeof SeenCommands>;

/** An input that was closed because something was unavailable or misconfigured. */
export const Parked = Input.extend({
  code: z.string().max(80),
  /** Epoch ms from which the input is retried. Null means after a restart. */
  untilMs: z.number().int().nullable(),
  sinceMs: z.number().int(),
  /** True if the input is wanted again. Its run was already counted and is not counted twice. */
  again: z.boolean(),
});
export type Parked = z.output<typeof Parked>;

export const GuardState = z.object({
  v: z.literal(1),
  running: Run.nullable(),
  /** The newest input to review. A run on an older input stops when it notices this. */
  wanted: Input.nullable(),
  /** A head that becomes wanted if no push arrives before `untilMs`. */
  quiet: z.object({ head: CommitSha, untilMs: z.number().int() }).nullable(),
  slotHeld: z.boolean(),
  /** Completed reviews, including silent reviews. */
  reviewsDone: z.number().int().nonnegative(),
  /** Failed attempts of the review in progress. */
  failedAttempts: z.number().int().nonnegative(),
  ...Counts.shape,
  supersededInRow: z.number().int().nonnegative(),
  /** `base` is null until the forge shows the review. */
  reviewed: z.array(Input.extend({ otherBases: z.array(CommitSha).readonly().optional() })),
  /** Inputs that ended without a completed review, because attempts or a cap ran out. */
  closed: z.array(Input),
  parked: Parked.nullable().default(null),
  outages: z.number().int().nonnegative().default(0),
  seenCommands: SeenCommands.nullable().default(null),
  /** The newest reply in a thread. Guard waits for further replies until `untilMs` (epoch ms). */
  replyDebounce: z.object({ noteId: z.number().int(), untilMs: z.number().int() }).nullable().default(null),
  failedReplies: z.number().int().nonnegative().default(0),
  /** A commander's review request for this input. */
  asked: Input.extend({
    full: z.boolean(),
    instructions: z.string().max(4000),
    only: z.string().max(MAX_ONLY).optional(),
  })
    .nullable()
    .default(null),
  granted: z.number().int().nonnegative().default(0),
  /** When the most recent rounds were granted, epoch ms, oldest first. */
  grantedAtMs: z.array(z.number().int()).max(MAX_GRANTS_PER_DAY).default([]),
  /** Number of pauses and resumes; odd while paused. */
  pauses: z.number().int().nonnegative().default(0),
  /** Key of the dismissals or CI result for which the verdict was last judged again. */
  reevaluatedFor: z.string().nullable().default(null),
  /** The head for which only CI prevents a pass. The sweep checks it, because not every forge sends an event for every status. */
  heldByCi: CommitSha.nullable().default(null),
  /** Keys of the current input and of the input whose status or approval was withdrawn because of it. */
  withdrawnFor: z.string().nullable().default(null),
  /**
   * The commit, target branch and place of the status to which this change request contributes, and why it is not reviewed.
   * Null if there is no status.
   */
  placed: z
    .object({ head: CommitSha, target: BranchName, part: z.string().optional(), waits: z.string().optional() })
    .nullable()
    .default(null),
  /**
   * The head whose review waits for a CI job that makes a report: until when it waits at most, and when the job is
   * checked next (epoch ms). Null if no review waits for one.
   */
  reportWait: z
    .object({ head: CommitSha, untilMs: z.number().int(), nextLookMs: z.number().int() })
    .nullable()
    .default(null),
  /** When the current head was first seen (epoch ms). CI may begin for some time after that. */
  firstSeen: z.object({ head: CommitSha, atMs: z.number().int() }).nullable().default(null),
  /** Key of the last message to an external author. Null if there was none. */
  authorNotifiedOf: z.string().max(64).nullable().default(null),
  fixing: Fix.nullable().default(null),
  fixesUsed: z.number().int().nonnegative().default(0),
  fixedReview: z.number().int().nonnegative().default(0),
  /** How long the review of the current head has taken so far. Null if none is due. For metrics only. */
  timing: Timing.nullable().default(null),
  outbox: z.array(Effect),
});
export type GuardState = z.output<typeof GuardState>;

export const emptyState = (): GuardState => ({
  v: 1,
  running: null,
  wanted: null,
  quiet: null,
  slotHeld: false,
  reviewsDone: 0,
  failedAttempts: 0,
  ...NO_COUNTS,
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
  grantedAtMs: [],
  pauses: 0,
  reevaluatedFor: null,
  heldByCi: null,
  withdrawnFor: null,
  placed: null,
  reportWait: null,
  firstSeen: null,
  authorNotifiedOf: null,
  fixing: null,
  fixesUsed: 0,
  fixedReview: 0,
  timing: null,
  outbox: [],
});
