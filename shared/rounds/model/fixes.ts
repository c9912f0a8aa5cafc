/** Determines which findings a fix works on and how many fixes are allowed. */
import { stillBlocks } from './blocking.ts';
import type { Policy } from './policy.ts';
import type { History, Thread } from './history.ts';
import { z } from 'zod';
import { CommitSha, RunId } from '../../vocabulary/ids.ts';

/** The threads that a fix works on. Threads that were handed to a human are included only if a commander asks for the fix. */
export const findingsToFix = ({ threads }: History, isRequested: boolean): readonly Thread[] =>
  threads.filter((thread) => stillBlocks(thread) && (isRequested || thread.state === 'open'));

/** Each fix is checked by a round, so R rounds allow at most R - 1 fixes. */
export const maxFixes = ({ rounds }: Pick<Policy, 'rounds'>): number => rounds.max - 1;

export const FixEnd = z.object({
  kind: z.enum(['fixed', 'stopped', 'failed']),
  code: z.string().max(80).nullable(),
  pushed: CommitSha.nullable(),
});
export type FixEnd = z.output<typeof FixEnd>;

/**
 * - `announcing`: the poster writes the count into the summary's marker. Ends when the poster reports.
 * - `working`: the fix job exists. Ends on the author's report or at the deadline.
 * - `telling`: the poster writes how the fix ended. Ends when the poster reports; no review starts before that.
 */
export const FixPhase = z.enum(['announcing', 'working', 'telling']);

/** One order to the author. At most one exists at a time, and none while a review runs. */
export const Fix = z.object({
  runId: RunId,
  head: CommitSha,
  review: z.number().int().positive(),
  /** The number of the fix, counted from 1 within the change request. */
  number: z.number().int().positive(),
  phase: FixPhase,
  planId: z.string().nullable(),
  /** Epoch ms. From this time on, the fix counts as failed, in every phase. */
  deadlineMs: z.number().int(),
  /** The commander who requested the fix. Null if guard ordered it itself. */
  requester: z.object({ id: z.number().int(), login: z.string() }).nullable(),
  /** Set once the job has waited for something unavailable; the deadline was then extended. */
  waits: z.literal(true).optional(),
  end: FixEnd.nullable(),
});
export type Fix = z.output<typeof Fix>;

/** Why the bot refuses a request for a fix. `not_allowed` is no longer created, but stored effects may contain it. */
export const FixRefusal = z.enum(['not_allowed', 'off', 'fork', 'protected', 'busy', 'not_reviewed', 'nothing', 'cap']);
export type FixRefusal = z.output<typeof FixRefusal>;
