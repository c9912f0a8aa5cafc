/** The counts that limit one change request. Each count only rises and is stored on the forge. */
import { z } from 'zod';
import type { Policy } from './policy.ts';

const Count = z.number().int().nonnegative();

export const Counts = z.object({
  /** Runs that were started, regardless of how they ended. */
  runsUsed: Count,
  /** Completed reviews that asked the author for something. Closing reviews are not rounds. */
  roundsUsed: Count,
  /** Completed reviews that asked the author for nothing. */
  silentReviews: Count,
  /** Heads whose verdict was carried from another head. */
  carriedHeads: Count,
});
export type Counts = z.output<typeof Counts>;

export const NO_COUNTS: Counts = { runsUsed: 0, roundsUsed: 0, silentReviews: 0, carriedHeads: 0 };

export const countsOf = ({ runsUsed, roundsUsed, silentReviews, carriedHeads }: Counts): Counts => ({
  runsUsed,
  roundsUsed,
  silentReviews,
  carriedHeads,
});

/** Returns the larger value of each count, because the forge or the stored state may be behind. */
export const mergeCounts = (one: Counts, other: Counts): Counts => ({
  runsUsed: Math.max(one.runsUsed, other.runsUsed),
  roundsUsed: Math.max(one.roundsUsed, other.roundsUsed),
  silentReviews: Math.max(one.silentReviews, other.silentReviews),
  carriedHeads: Math.max(one.carriedHeads, other.carriedHeads),
});

/**
 * How a completed run counts:
 * - `round`: the review asked the author for something.
 * - `silent`: the review asked the author for nothing. Its run is given back, up to `rounds.max_silent`.
 * - `closing`: no round was left, and the review found something that blocks. Its run counts.
 * - `carried`: the verdict of another head was carried. Its run is given back, up to `rounds.max_carried`.
 */
export type CountedAs = 'round' | 'silent' | 'closing' | 'carried';

export const countCompleted = (counts: Counts, as: CountedAs): Counts => ({
  ...countsOf(counts),
  roundsUsed: counts.roundsUsed + (as === 'round' ? 1 : 0),
  silentReviews: counts.silentReviews + (as === 'silent' ? 1 : 0),
  carriedHeads: counts.carriedHeads + (as === 'carried' ? 1 : 0),
});

type Rounds = Pick<Policy['rounds'], 'maxRuns' | 'maxSilent'>;

/** Runs that count against `rounds.max_runs`. */
export const spentRuns = ({ runsUsed, silentReviews, carriedHeads }: Counts): number =>
  runsUsed - silentReviews - carriedHeads;

export const mayStartRun = (counts: Counts, { maxRuns, maxSilent }: Rounds): boolean =>
  spentRuns(counts) < maxRuns && counts.silentReviews < maxSilent;

/**
 * What the next review may do:
 * - `open`: everything.
 * - `final`: the review would be the last round, so it may not reply, and it opens no thread below P1.
 * - `closing`: no round is left. The review may only resolve threads; new P0 and P1 are listed in the hand-off.
 */
export type Stage = 'open' | 'final' | 'closing';

export const stageOf = ({ roundsUsed }: Pick<Counts, 'roundsUsed'>, { max }: Pick<Policy['rounds'], 'max'>): Stage => {
  if (roundsUsed >= max) return 'closing';
  return roundsUsed + 1 >= max ? 'final' : 'open';
};

/** Why a head is closed without a run. `identity`: a comment with our signature was posted by another account. */
export const Cap = z.enum(['runs', 'silent', 'identity']);
export type Cap = z.output<typeof Cap>;

/** The reason for each cap in the marker of its hand-off. */
export const CAP_CODES: Readonly<Record<Cap, string>> = {
  runs: 'max_runs_exceeded',
  silent: 'max_silent_exceeded',
  identity: 'unknown_bot_account',
};
