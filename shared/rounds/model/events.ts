/** Events that wake guard for one change request. They contain only ids and hashes, because guard reads the facts from the forge again. */
import { z } from 'zod';
import { Carried } from './carried.ts';
import { CommitSha, RunId } from '../../vocabulary/ids.ts';

export const ForgeEventKind = z.enum([
  'opened',
  'pushed',
  'reopened',
  'ready',
  'became_draft',
  'retargeted',
  'metadata',
  'review_requested',
  'comment',
  'comment_edited',
  'human_review',
  'reaction',
  'closed',
  'merged',
  'pipeline',
]);
export type ForgeEventKind = z.output<typeof ForgeEventKind>;

const at = { id: z.string().min(1).max(200), atMs: z.number().int().nonnegative() };

/** An event from a forge. Guard treats it as a hint and reads the facts from the forge. */
export const ForgeEvent = z.object({
  ...at,
  source: z.literal('forge'),
  kind: ForgeEventKind,
  head: CommitSha.nullable(),
  noteId: z.number().int().nullable(),
  actorId: z.number().int().nullable(),
  /** Only set for `review_requested`. */
  actorLogin: z.string().max(255).optional(),
  requestedReviewerId: z.number().int().nullable(),
  /** Set if a program of the operator made the request. A forge never sets it. */
  byOperator: z.literal(true).optional(),
  /** Set with `byOperator` if an operator grants a round: the whole change is reviewed, as after `review --full`. */
  grantsRound: z.literal(true).optional(),
});
export type ForgeEvent = z.output<typeof ForgeEvent>;

export const SweepEvent = z.object({ ...at, source: z.literal('sweep'), head: CommitSha });
export type SweepEvent = z.output<typeof SweepEvent>;

/** Reports that the quiet time after a push has ended or that a slot became free. */
export const WakeEvent = z.object({ ...at, source: z.literal('wake') });

/** A run's report. `same_input`: a verdict is carried instead of a review. `overdue` comes from guard's own timer. */
export const RunEvent = z.object({
  ...at,
  source: z.literal('run'),
  kind: z.enum(['drafted', 'same_input', 'superseded', 'failed', 'overdue']),
  runId: RunId,
  code: z.string().max(80).nullable(),
  carried: Carried.optional(),
});
export type RunEvent = z.output<typeof RunEvent>;

/** A run of another process for the same input. `until`: its deadline in epoch seconds, null when it is not known. */
export const OtherRun = z.object({
  run: RunId,
  review: z.number().int().positive(),
  attempt: z.number().int().positive(),
  until: z.number().int().nonnegative().nullable(),
});
export type OtherRun = z.output<typeof OtherRun>;

/**
 * Report of the poster. `head_moved`: nothing was written because the head has changed. `gave_way`: nothing was written
 * because the run in `other` reviews the input.
 */
export const PostEvent = z.object({
  ...at,
  source: z.literal('post'),
  runId: RunId,
  planId: z.string(),
  outcome: z.enum(['posted', 'head_moved', 'failed', 'gave_way']),
  code: z.string().max(80).nullable(),
  /** Set with `gave_way` only. */
  other: OtherRun.optional(),
});
export type PostEvent = z.output<typeof PostEvent>;

/** The author's report. `fixed`: the details are in the store. `stopped`: the author did not push; `code` says why. */
export const FixEvent = z.object({
  ...at,
  source: z.literal('fix'),
  kind: z.enum(['fixed', 'stopped', 'failed', 'overdue']),
  runId: RunId,
  code: z.string().max(80).nullable(),
  /** The pushed commit; only set for `fixed`. Null if every finding was declined. */
  pushed: CommitSha.nullable(),
});
export type FixEvent = z.output<typeof FixEvent>;

/** An external program sent a protocol message and was authenticated. The message's content is in the store. */
export const MessageEvent = z.object({
  ...at,
  source: z.literal('message'),
  kind: z.enum(['review_request', 'review_feedback', 'review_addressed', 'review_lgtm']),
});
export type MessageEvent = z.output<typeof MessageEvent>;

/** What can be temporarily unavailable. `store` means Redis. */
export const OutageKind = z.enum(['model', 'forge', 'git', 'disk', 'store']);
export type OutageKind = z.output<typeof OutageKind>;

/**
 * The job of a run or a fix waits for something unavailable. `over`: it has waited for the maximum time.
 * `misconfigured`: waiting does not help. For `over` and `misconfigured`, no model call was answered in this run.
 */
export const OutageEvent = z.object({
  ...at,
  source: z.literal('outage'),
  kind: z.enum(['waits', 'over', 'misconfigured']),
  runId: RunId,
  what: OutageKind,
  code: z.string().max(80),
});
export type OutageEvent = z.output<typeof OutageEvent>;

export const InboxEvent = z.discriminatedUnion('source', [
  ForgeEvent,
  SweepEvent,
  WakeEvent,
  RunEvent,
  PostEvent,
  FixEvent,
  MessageEvent,
  OutageEvent,
]);
export type InboxEvent = z.output<typeof InboxEvent>;

/** Events that bring a new input count even if a bot caused them, because the same caps apply. */
const BRINGS_INPUT: ReadonlySet<ForgeEventKind> = new Set(['opened', 'pushed', 'reopened', 'ready', 'retargeted']);

/** Other events caused by bots (comments, reviews, review requests, reactions, statuses) are ignored. */
export const isBotNoise = ({ actorId, kind }: ForgeEvent, bots: ReadonlySet<number>): boolean =>
  actorId !== null && bots.has(actorId) && !BRINGS_INPUT.has(kind);
