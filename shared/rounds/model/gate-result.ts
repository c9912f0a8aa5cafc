/** What the gate makes of a draft. Guard keeps it with the effect that posts it, so it is a schema. */
import { z } from 'zod';
import { CheckedFinding } from './draft.ts';
import { Thread } from './history.ts';
import { TOO_LIGHT } from './repository-rules.ts';
import { ThreadProgress } from './thread.ts';
import { ThreadAnswer } from '../../vocabulary/finding.ts';
import { FindingId } from '../../vocabulary/ids.ts';

export const Accepted = z.object({
  id: FindingId,
  finding: CheckedFinding,
  blocking: z.boolean(),
  /** It is on the forge already, from a half-posted attempt of this round. */
  alreadySaid: z.boolean(),
  /** The resolved finding that this one brings back. */
  regressionOf: FindingId.nullable(),
  /** False: it is listed in the summary without a thread of its own. */
  ownThread: z.boolean(),
});
export type Accepted = z.output<typeof Accepted>;

/** A grave claim without evidence: it gets a number, and no thread until a later review confirms it. */
export const Unverified = z.object({ id: FindingId, finding: CheckedFinding });
export type Unverified = z.output<typeof Unverified>;

/** An open thread that was answered, a settled one that is shown fixed, or an unverified claim that is refuted. */
export const Handled = z.object({ thread: Thread, answer: ThreadAnswer, next: ThreadProgress });
export type Handled = z.output<typeof Handled>;

export const DropReason = z.enum([
  'repeats an open thread',
  'repeats a closed finding',
  'repeats another new finding',
  'unchanged code',
  'repeats an unverified claim',
  'is about lines that the bot suggested',
  'said between two rounds',
  'repeats a dismissed finding',
  TOO_LIGHT,
]);
export type DropReason = z.output<typeof DropReason>;

export const Dropped = z.object({ title: z.string(), reason: DropReason });
export type Dropped = z.output<typeof Dropped>;

/**
 * Why an open thread stays as it is:
 * - `not_looked_at`: a budget ran out before its answer.
 * - `waits`: it was to be resolved, but its code is untouched and nobody has answered.
 * - `half_posted`: an earlier attempt of this review posted it, and this one did not repeat it.
 */
export const Left = z.object({ thread: Thread, why: z.enum(['not_looked_at', 'waits', 'half_posted']) });
export type Left = z.output<typeof Left>;

export const GateResult = z.object({
  accepted: z.array(Accepted).readonly(),
  /** New P0 and P1 whose quotation could not be found. */
  unverified: z.array(Unverified).readonly(),
  dropped: z.array(Dropped).readonly(),
  handled: z.array(Handled).readonly(),
  /** Open threads that stay as they are. */
  left: z.array(Left).readonly(),
  /** Threads that an outside hand or an earlier round has closed or settled, and claims that are unverified still. */
  standing: z.array(Thread).readonly(),
  /** Of those, the resolved ones that a P2 or P3 of this round repeats: no new thread, but they are open again. */
  reopened: z.array(FindingId).readonly(),
  /** Of those, the settled ones that a P0 or P1 of this round repeats. They stand with the graver severity of both. */
  raisedAgain: z.array(FindingId).readonly(),
  /** Breaches of the protocol: with one of them the attempt has failed and nothing of it is posted. */
  violations: z.array(z.string()).readonly(),
});
export type GateResult = z.output<typeof GateResult>;
