/** What can wake guard for one change request. Ids and hashes only: the facts are read again from the forge. */
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

/** Something that happened on the forge. A hint, never a fact. */
export const ForgeEvent = z.object({
  ...at,
  source: z.literal('forge'),
  kind: ForgeEventKind,
  head: CommitSha.nullable(),
  noteId: z.number().int().nullable(),
  actorId: z.number().int().nullable(),
  /** Only with `review_requested`. */
  actorLogin: z.string().max(255).optional(),
  requestedReviewerId: z.number().int().nullable(),
  /** Asked for by a program of the operator, which no forge can say of itself. Absent: no. */
  byOperator: z.literal(true).optional(),
});
export type ForgeEvent = z.output<typeof ForgeEvent>;

/** The sweep saw this change request open at this head. */
export const SweepEvent = z.object({ ...at, source: z.literal('sweep'), head: CommitSha });
export type SweepEvent = z.output<typeof SweepEvent>;

/** The quiet time after a push is over, or a slot became free: look again. */
export const WakeEvent = z.object({ ...at, source: z.literal('wake') });

/** A run reports. `same_input`: this change has been reviewed, so its verdict is carried. `failed` carries the error code; `overdue` comes from guard's own clock. */
export const RunEvent = z.object({
  ...at,
  source: z.literal('run'),
  kind: z.enum(['drafted', 'same_input', 'superseded', 'failed', 'overdue']),
  runId: RunId,
  code: z.string().max(80).nullable(),
  /** Only with `same_input`. */
  carried: Carried.optional(),
});
export type RunEvent = z.output<typeof RunEvent>;

/** The poster reports. `head_moved`: nothing was written because the head is another one now. */
export const PostEvent = z.object({
  ...at,
  source: z.literal('post'),
  runId: RunId,
  planId: z.string(),
  outcome: z.enum(['posted', 'head_moved', 'failed']),
  code: z.string().max(80).nullable(),
});
export type PostEvent = z.output<typeof PostEvent>;

/** The author reports. `fixed`: its report is in the store. `stopped`: it refused to push, `code` says why. */
export const FixEvent = z.object({
  ...at,
  source: z.literal('fix'),
  kind: z.enum(['fixed', 'stopped', 'failed', 'overdue']),
  runId: RunId,
  code: z.string().max(80).nullable(),
  /** Only with `fixed`; null when every finding was declined. */
  pushed: CommitSha.nullable(),
});
export type FixEvent = z.output<typeof FixEvent>;

/**
 * A program outside has sent a message of the protocol; its token was checked, and the order of the conversation. What
 * it says is read from the store.
 */
export const MessageEvent = z.object({
  ...at,
  source: z.literal('message'),
  kind: z.enum(['review_request', 'review_feedback', 'review_addressed', 'review_lgtm']),
});
export type MessageEvent = z.output<typeof MessageEvent>;

/** What can be away and come back by itself. `store`: Redis. */
export const OutageKind = z.enum(['model', 'forge', 'git', 'disk', 'store']);
export type OutageKind = z.output<typeof OutageKind>;

/**
 * The job of a run or a fix waits for something that is away. `over`: it has waited for as long as it may.
 * `misconfigured`: waiting does not help. Both of them: no call of a model was answered in this run.
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

/** A new input is a new input, no matter who made it: what makes one reviewable counts within the same caps. */
const BRINGS_INPUT: ReadonlySet<ForgeEventKind> = new Set(['opened', 'pushed', 'reopened', 'ready', 'retargeted']);

/** Comments, reviews, calls, reactions and statuses by bots cause nothing. */
export const isBotNoise = ({ actorId, kind }: ForgeEvent, bots: ReadonlySet<number>): boolean =>
  actorId !== null && bots.has(actorId) && !BRINGS_INPUT.has(kind);
