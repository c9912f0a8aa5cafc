/** What the gate makes of a draft. */
import type { CheckedFinding } from './draft.ts';
import type { FindingId } from '../../vocabulary/ids.ts';
import type { Thread } from './history.ts';
import type { ThreadProgress } from './thread.ts';
import type { ThreadAnswer } from '../../vocabulary/finding.ts';
import type { TOO_LIGHT } from './repository-rules.ts';

export type Accepted = {
  readonly id: FindingId;
  readonly finding: CheckedFinding;
  readonly blocking: boolean;
  /** It stands on the forge already, from a half-posted try of this round. */
  readonly alreadySaid: boolean;
  /** The resolved finding that this one brings back. */
  readonly regressionOf: FindingId | null;
  /** False: it is listed in the summary without a thread of its own. */
  readonly ownThread: boolean;
};

/** A grave claim without evidence: it gets a number, and no thread until a later review confirms it. */
export type Unverified = { readonly id: FindingId; readonly finding: CheckedFinding };

/** An open thread that was answered, a settled one that is shown fixed, or an unverified claim that is refuted. */
export type Handled = { readonly thread: Thread; readonly answer: ThreadAnswer; readonly next: ThreadProgress };

export type Dropped = { readonly title: string; readonly reason: DropReason };
export type GateResult = {
  readonly accepted: readonly Accepted[];
  /** New P0 and P1 whose quotation could not be found. */
  readonly unverified: readonly Unverified[];
  readonly dropped: readonly Dropped[];
  readonly handled: readonly Handled[];
  /** Open threads that stay as they are. */
  readonly left: readonly Left[];
  /** Threads that an outside hand or an earlier round has closed or settled, and claims that are unverified still. */
  readonly standing: readonly Thread[];
  /** Of those, the resolved ones that a P2 or P3 of this round repeats: no new thread, but they are open again. */
  readonly reopened: readonly FindingId[];
  /** Of those, the settled ones that a P0 or P1 of this round repeats. They stand with the graver severity of both. */
  readonly raisedAgain: readonly FindingId[];
  /** Breaches of the protocol: with one of them the attempt has failed and nothing of it is posted. */
  readonly violations: readonly string[];
};

/**
 * Why an open thread stays as it is:
 * - `not_looked_at`: a budget ran out before its answer.
 * - `waits`: it was to be resolved, but its code is untouched and nobody has answered.
 * - `half_posted`: an earlier attempt of this review posted it, and this one did not repeat it.
 */
export type Left = { readonly thread: Thread; readonly why: 'not_looked_at' | 'waits' | 'half_posted' };

export type DropReason =
  | 'repeats an open thread'
  | 'repeats a closed finding'
  | 'repeats another new finding'
  | 'unchanged code'
  | 'repeats an unverified claim'
  | 'is about lines that the bot suggested'
  | 'said between two rounds'
  | 'repeats a dismissed finding'
  | typeof TOO_LIGHT;
