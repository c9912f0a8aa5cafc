import { z } from 'zod';
import { CommitSha } from '../../vocabulary/ids.ts';

/**
 * - `quiet`: guard waits for further pushes.
 * - `queue`: the input waits for a slot, or the run is being announced.
 * - `model`: the review job exists.
 * - `ci`: the result waits for CI.
 * - `posting`: the poster has the result.
 */
export const TimedPart = z.enum(['quiet', 'queue', 'model', 'ci', 'posting']);
export type TimedPart = z.output<typeof TimedPart>;

const Ms = z.number().int().nonnegative();

/** The time that a review takes, from the event that asked for it. All times are epoch ms on guard's clock. */
export const Timing = z.object({
  head: CommitSha,
  sinceMs: Ms,
  part: TimedPart,
  partSinceMs: Ms,
  /** Time spent in parts that have ended. */
  spentMs: z.object({ quiet: Ms, queue: Ms, model: Ms, ci: Ms, posting: Ms }),
});
export type Timing = z.output<typeof Timing>;
