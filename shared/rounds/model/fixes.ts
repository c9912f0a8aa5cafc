/** Which findings a fix works on, and how many fixes there may be. */
import { stillBlocks } from './blocking.ts';
import type { Policy } from './policy.ts';
import type { History, Thread } from './history.ts';
import { z } from 'zod';
import { CommitSha, RunId } from '../../vocabulary/ids.ts';

/** What a fix works on. A thread that was handed to a human is left to them, unless a commander asks for the fix. */
export const findingsToFix = ({ threads }: History, isRequested: boolean): readonly Thread[] =>
  threads.filter((thread) => stillBlocks(thread) && (isRequested || thread.state === 'open'));

/** Every fix is followed by a round that checks it: with R rounds at most R - 1 fixes. */
export const maxFixes = ({ rounds }: Pick<Policy, 'rounds'>): number => rounds.max - 1;

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
