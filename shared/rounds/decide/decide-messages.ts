/**
 * What programs outside have to do with a decision: an answer wakes the run that waits for it, and an author hears every
 * verdict once. Which verdict stands is read from the forge, so a lost report loses no message.
 */
import { createHash } from 'node:crypto';
import { change, type DecideInput, type Decision, note, emit } from './decision.ts';
import type { MessageEvent } from '../model/events.ts';
import { withGrants } from '../model/policy.ts';
import type { History } from '../model/history.ts';
import { findInput, inputKey, type Input, inputOf, mayBeSameInput } from '../model/input.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Verdict } from '../../vocabulary/finding.ts';

/** The run looks at the answer by itself; nothing is decided here. */
export const hearReviewer = (decision: Decision, event: MessageEvent): Decision => {
  const { running } = decision.state;
  if (running === null || running.phase !== 'reviewing')
    return note(decision, 'nothing', `a ${event.kind} that no run waits for`);
  return emit(decision, { kind: 'resume_review', runId: running.runId }, 'the reviewer outside has answered');
};

export const decideAuthorMessage = (decision: Decision, { facts, events, nowMs, policy }: DecideInput): Decision => {
  const { changeRequest } = facts;
  if (facts.hasAuthorOutside !== true || changeRequest === null || decision.state.running !== null) return decision;
  const last = lastWord(facts.history, inputOf(changeRequest), withGrants(policy, decision.state.granted).rounds.max);
  if (last === null) return decision;
  const key = keyOf(last, inputOf(changeRequest), facts.history);
  const asks = events.some((event) => event.source === 'message' && event.kind === 'review_request');
  if (decision.state.authorNotifiedOf === key && !asks) return decision;
  // A request for what is reviewed anew gets the new verdict.
  if (asks && decision.state.wanted !== null) return decision;
  return emit(
    change(decision, { authorNotifiedOf: key }),
    { kind: 'tell_author', ...last, atMs: nowMs },
    decision.state.authorNotifiedOf === key
      ? 'the author outside asks, and the verdict stands'
      : 'the author outside hears the verdict',
  );
};

export type LastWord = {
  readonly head: CommitSha;
  readonly round: number;
  readonly verdict: Verdict;
  /** No review of this input came to its end, or none was left for it. */
  readonly failed: boolean;
  /** A budget of the reviewer was used up before the review came to its end. */
  readonly exceeded: boolean;
};

const lastWord = (history: History, present: Input, maxRounds: number): LastWord | null => {
  const { reviewed, closed, roundsDone } = history;
  const { head } = present;
  const entry = findInput(reviewed, present);
  if (entry !== undefined) {
    const { round, verdict, exceeded = false } = entry;
    return { head, round, verdict, failed: false, exceeded };
  }
  if (!closed.some((known) => mayBeSameInput(known, present))) return null;
  const round = Math.max(1, Math.min(roundsDone + 1, maxRounds));
  return { head, round, verdict: 'inconclusive', failed: true, exceeded: false };
};

/** The same verdict over the same findings is told once, and once more when a human has been called since. */
const keyOf = ({ round, verdict }: LastWord, present: Input, { threads, closed }: History): string => {
  const findings = threads.map(({ id, state }) => `${id} ${state}`);
  const called = closed.some((known) => mayBeSameInput(known, present)) ? ['handed over'] : [];
  return createHash('sha256')
    .update([inputKey(present), round, verdict, ...findings, ...called].join('\n'))
    .digest('hex')
    .slice(0, 32);
};
