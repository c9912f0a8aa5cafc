import { z } from 'zod';
import { ReplyScope } from './marker-payload.ts';
import { Carried } from './carried.ts';
import { Counts } from './counts.ts';
import { OutageKind } from './events.ts';
import { Input } from './input.ts';
import type { Policy } from './policy.ts';
import { RunId } from '../../vocabulary/ids.ts';

/**
 * - `announcing`: the poster writes the pending status and the marker. Ends when the poster reports.
 * - `reviewing`: the review job exists. Ends when the run is drafted, superseded, failed or overdue.
 * - `waiting_ci`: the result is ready and would pass, but CI of its head has not ended. Ends when CI ends, at the deadline,
 *   or for a newer head.
 * - `posting`: the poster has the plan of the result. Ends when the poster reports.
 * - `giving_up`: every attempt failed and the poster writes the hand-off. Ends when the poster reports.
 */
export const RunPhase = z.enum(['announcing', 'reviewing', 'waiting_ci', 'posting', 'giving_up']);
export type RunPhase = z.output<typeof RunPhase>;

const RunBase = Input.extend({
  runId: RunId,
  review: z.number().int().positive(),
  attempt: z.number().int().positive(),
  phase: RunPhase,
  /** Null in phases that do not wait for the poster. */
  planId: z.string().nullable(),
  /**
   * Set when the run belongs to another process, to which this one gave way: only the forge shows when it has ended.
   */
  elsewhere: z.literal(true).optional(),
  /** Set once the job has waited for something unavailable in this phase: then the deadline was extended. */
  waits: z.object({ what: OutageKind, code: z.string().max(80) }).optional(),
  /** When CI is checked next, epoch ms. Only set in `waiting_ci`. */
  nextLookMs: z.number().int().optional(),
  /** Epoch ms. After this time, the run counts as failed. In `waiting_ci` it does not fail: it stops waiting. */
  deadlineMs: z.number().int(),
});

/** The longest path that a command can name. */
export const MAX_ONLY = 1_000;

/** Reviews the change, or carries over the verdict for the same change. */
export const ReviewRun = RunBase.extend({
  kind: z.literal('review'),
  /** True after two superseded runs in a row: this run is not superseded by a newer head. */
  mustFinish: z.boolean(),
  instructions: z.string().max(4000).optional(),
  /** Set for a review of the whole change, even if parts were already reviewed. */
  full: z.literal(true).optional(),
  /** Set for a review of only this path, which the last review left out. */
  only: z.string().max(MAX_ONLY).optional(),
  /** Set if this change was already reviewed: its verdict is carried, and nothing is reviewed. */
  carried: Carried.optional(),
  /** The counts of the change request once the result is posted. Only set in `posting`. */
  countsAfter: Counts.optional(),
});
export type ReviewRun = z.output<typeof ReviewRun>;

/** A run that answers replies in the threads of its review and does nothing else. */
export const ReplyRun = RunBase.extend({ kind: z.literal('reply'), scope: ReplyScope });
export type ReplyRun = z.output<typeof ReplyRun>;

/** A run that judges the verdict of the last review again, after a dismissal or a CI change. Calls no reviewer. */
export const ReevaluateRun = RunBase.extend({ kind: z.literal('reevaluate') });
export type ReevaluateRun = z.output<typeof ReevaluateRun>;

export const Run = z.discriminatedUnion('kind', [ReviewRun, ReplyRun, ReevaluateRun]);
export type Run = z.output<typeof Run>;

export const mustFinish = (run: Run): boolean => run.kind === 'review' && run.mustFinish;

export const carriedBy = (run: Run): Carried | undefined => (run.kind === 'review' ? run.carried : undefined);

const AnnouncedCount = z.number().int().nonnegative().max(1_000_000);

/**
 * What the forge stores about a started run if there is no summary: it is written into the commit status, because a new
 * comment would send an email. Change request and head are not part of it, because the signature covers both.
 */
export const Announcement = z.object({
  run: RunId,
  review: AnnouncedCount,
  attempt: AnnouncedCount,
  /** Runs started so far, including this one. */
  runs: AnnouncedCount,
  superseded: AnnouncedCount,
  /** Deadline in epoch seconds. */
  until: z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER),
  /**
   * Hashes of the input: `tip` is the hash of the target branch and its tip, `base` the hash of the target branch and
   * the merge base. `base` null means unknown.
   */
  tip: z.string().regex(/^[\w-]{8}$/),
  base: z
    .string()
    .regex(/^[\w-]{8}$/)
    .nullable(),
  /** Set for a review of the whole change. */
  full: z.literal(true).optional(),
  /** Set for a run that answers in threads. */
  replies: ReplyScope.optional(),
});
export type Announcement = z.output<typeof Announcement>;

/**
 * True if no attempt follows. After `WORKER_DIED` none does, whatever is left: the next one would take down as many
 * processes, with all that they do for other change requests.
 */
export const isLastAttempt = (failed: number, code: string, { rounds }: Pick<Policy, 'rounds'>): boolean =>
  failed >= rounds.attempts || code === 'WORKER_DIED';
