/** The result of the gate. It is a schema because guard stores it with the effect that posts it. */
import { z } from 'zod';
import { CheckedFinding } from './draft.ts';
import { Thread } from './history.ts';
import { IGNORED, TOO_LIGHT } from './repository-rules.ts';
import { ThreadProgress } from './thread.ts';
import { ThreadAnswer } from '../../vocabulary/finding.ts';
import { FindingId } from '../../vocabulary/ids.ts';

export const Accepted = z.object({
  id: FindingId,
  finding: CheckedFinding,
  blocking: z.boolean(),
  /** True if an interrupted attempt of this review has already posted the finding. */
  alreadySaid: z.boolean(),
  regressionOf: FindingId.nullable(),
  /** False if the finding is listed in the summary without its own thread. */
  ownThread: z.boolean(),
});
export type Accepted = z.output<typeof Accepted>;

/** A P0 or P1 claim without evidence. It gets a number, but gets a thread only if a later review confirms it. */
export const Unverified = z.object({ id: FindingId, finding: CheckedFinding });
export type Unverified = z.output<typeof Unverified>;

/** An open thread with its answer, a settled thread that is shown to be fixed, or an unverified claim that is refuted. */
export const Handled = z.object({ thread: Thread, answer: ThreadAnswer, next: ThreadProgress });
export type Handled = z.output<typeof Handled>;

/** If no round is left, only new P0 and P1 are reported. */
export const NO_ROUND_LEFT = 'below P1, and no round is left';

export const DropReason = z.enum([
  'repeats an open thread',
  'repeats a closed finding',
  'repeats another new finding',
  'unchanged code',
  'repeats an unverified claim',
  'is about lines that the bot suggested',
  'said between two rounds',
  'repeats a dismissed finding',
  NO_ROUND_LEFT,
  TOO_LIGHT,
  IGNORED,
]);
export type DropReason = z.output<typeof DropReason>;

export const Dropped = z.object({
  title: z.string(),
  reason: DropReason,
  /** For the reason `IGNORED`: the id of the entry that silences the finding. */
  entry: z.string().optional(),
});
export type Dropped = z.output<typeof Dropped>;

/**
 * Why an open thread stays open:
 * - `not_looked_at`: a budget ran out before the thread was answered.
 * - `waits`: its lines are unchanged and nobody has answered, or the review may no longer act on it.
 * - `half_posted`: an earlier attempt of this review posted the thread, and this attempt did not repeat it.
 */
export const Left = z.object({ thread: Thread, why: z.enum(['not_looked_at', 'waits', 'half_posted']) });
export type Left = z.output<typeof Left>;

export const GateResult = z.object({
  accepted: z.array(Accepted).readonly(),
  unverified: z.array(Unverified).readonly(),
  dropped: z.array(Dropped).readonly(),
  handled: z.array(Handled).readonly(),
  left: z.array(Left).readonly(),
  /** Threads that people or an earlier review closed or settled, and claims that are still unverified. */
  standing: z.array(Thread).readonly(),
  /** Resolved threads of `standing` whose findings a P2 or P3 of this review repeats. They count as open again, without a new thread. */
  reopened: z.array(FindingId).readonly(),
  /** Settled threads of `standing` whose findings a P0 or P1 of this review repeats. They keep the higher of the two severities. */
  raisedAgain: z.array(FindingId).readonly(),
  /** Protocol violations. If there are any, the attempt fails and nothing is posted. */
  violations: z.array(z.string()).readonly(),
});
export type GateResult = z.output<typeof GateResult>;

/** True if the review added a finding to the ledger, or answered a thread with an action other than `resolve`. */
export const asksForSomething = ({ accepted, unverified, handled }: GateResult): boolean =>
  accepted.length + unverified.length > 0 || handled.some(({ answer }) => answer.action !== 'resolve');
