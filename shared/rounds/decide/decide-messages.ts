/** Handles messages from external reviewers and to external authors. Verdicts are read from the forge, so lost reports do no harm. */
import { createHash } from 'node:crypto';
import { change, type DecideInput, type Decision, note, emit } from './decision.ts';
import type { MessageEvent } from '../model/events.ts';
import { withGrants } from '../model/policy.ts';
import type { History } from '../model/history.ts';
import { findInput, inputKey, type Input, inputOf, mayBeSameInput } from '../model/input.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Verdict } from '../../vocabulary/finding.ts';

/** Only wakes the run; the run itself reads the answer. */
export const hearReviewer = (decision: Decision, event: MessageEvent): Decision => {
  const { running } = decision.state;
  if (running === null || running.phase !== 'reviewing')
    return note(decision, 'nothing', `no run waits for this ${event.kind}`);
  return emit(decision, { kind: 'resume_review', runId: running.runId }, 'the external reviewer has answered');
};

export const decideAuthorMessage = (decision: Decision, { facts, events, nowMs, policy }: DecideInput): Decision => {
  const { changeRequest } = facts;
  if (facts.hasAuthorOutside !== true || changeRequest === null) return decision;
  const asks = events.some((event) => event.source === 'message' && event.kind === 'review_request');
  // Only this decision hears the request. The run that is active may end without a new verdict.
  if (decision.state.running !== null) return asks ? change(decision, { authorNotifiedOf: null }) : decision;
  const last = lastWord(facts.history, inputOf(changeRequest), withGrants(policy, decision.state.granted).rounds.max);
  if (last === null) return decision;
  const key = keyOf(last, inputOf(changeRequest), facts.history);
  if (decision.state.authorNotifiedOf === key && !asks) return decision;
  // If a new review is already wanted, its verdict answers the request.
  if (asks && decision.state.wanted !== null) return decision;
  return emit(
    change(decision, { authorNotifiedOf: key }),
    { kind: 'tell_author', ...last, atMs: nowMs },
    decision.state.authorNotifiedOf === key
      ? 'the external author asked again, and the verdict still holds'
      : 'the external author is sent the verdict',
  );
};

export type LastWord = {
  readonly head: CommitSha;
  readonly review: number;
  readonly verdict: Verdict;
  /** True if the input was closed without a completed review. */
  readonly failed: boolean;
  readonly exceeded: boolean;
};

const lastWord = (history: History, present: Input, maxRounds: number): LastWord | null => {
  const { reviewed, closed, reviewsDone } = history;
  const { head } = present;
  const entry = findInput(reviewed, present);
  if (entry !== undefined) {
    const { review, verdict, exceeded = false } = entry;
    return { head, review, verdict, failed: false, exceeded };
  }
  if (!closed.some((known) => mayBeSameInput(known, present))) return null;
  const review = Math.max(1, Math.min(reviewsDone + 1, maxRounds));
  return { head, review, verdict: 'inconclusive', failed: true, exceeded: false };
};

/**
 * Identifies what the author was told. The author is notified once per verdict and state of the findings, and again
 * after a hand-off.
 */
const keyOf = ({ review, verdict }: LastWord, present: Input, { threads, closed }: History): string => {
  const findings = threads.map(({ id, state }) => `${id} ${state}`);
  const called = closed.some((known) => mayBeSameInput(known, present)) ? ['handed over'] : [];
  return createHash('sha256')
    .update([inputKey(present), review, verdict, ...findings, ...called].join('\n'))
    .digest('hex')
    .slice(0, 32);
};
