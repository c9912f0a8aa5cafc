/** Ends an attempt without a result: superseded, failed, given up or left to another process. */
import { completeRun, isPosted } from './complete-run.ts';
import { endReplies, failReplies } from './decide-thread-replies.ts';
import {
  change,
  type DecideInput,
  type Decision,
  endRun,
  enterPhase,
  note,
  emit,
  scheduleOverdue,
} from './decision.ts';
import type { PostEvent } from '../model/events.ts';
import { inputIn, inputOf, mayBeSameInput } from '../model/input.ts';
import { isLastAttempt, type Run } from '../model/run.ts';
import type { GuardState } from '../model/state.ts';

export const endGivenUp = (decision: Decision, run: Run): Decision => {
  if (run.kind === 'reply' || run.kind === 'reevaluate')
    return endReplies(decision, run, 'the threads were handed to a human');
  const { closed, parked, failedAttempts } = decision.state;
  const isParked = parked !== null && !parked.again && mayBeSameInput(parked, run);
  const given = change(decision, {
    // An attempt on a parked head is not counted.
    failedAttempts: isParked ? failedAttempts : 0,
    closed: [...closed, inputIn(run)],
  });
  return endRun(given, isParked ? 'the head waits until it is tried again' : 'the failed review was handed off');
};

/** Keeps the review request of a run that ended without a result, unless there is a newer request. */
const askedAgain = ({ state: { asked } }: Decision, run: Run | null): GuardState['asked'] => {
  if (asked !== null || run === null) return asked;
  const { full = false, instructions = '', only } = run.kind === 'review' ? run : {};
  return { ...inputIn(run), full, instructions, ...(only === undefined ? {} : { only }) };
};

const presentOf = ({ facts: { changeRequest } }: DecideInput): GuardState['wanted'] =>
  changeRequest === null ? null : inputOf(changeRequest);

/** Ends a run for a newer head: the run counts, its review does not. The newest head becomes wanted, in case its event was lost. */
export const supersede = (decision: Decision, reason: string, input: DecideInput): Decision => {
  const { supersededInRow, wanted, quiet, running } = decision.state;
  // A superseded run of these kinds loses no review. The event of the new head decides about a review of that head.
  if (running?.kind === 'reply' || running?.kind === 'reevaluate') return endRun(decision, reason);
  const next = quiet === null ? (wanted ?? presentOf(input)) : wanted;
  return endRun(
    change(decision, {
      supersededInRow: supersededInRow + 1,
      wanted: next,
      asked: askedAgain(decision, running),
    }),
    reason,
  );
};

export const failAttempt = (decision: Decision, run: Run, code: string, input: DecideInput): Decision => {
  if (run.phase === 'giving_up') return endGivenUp(decision, run);
  if (isPosted(run, input)) return completeRun(decision, run);
  if (run.kind === 'reply' || run.kind === 'reevaluate') return failReplies(decision, run, code, input);
  const failedAttempts = Math.max(decision.state.failedAttempts + 1, run.attempt);
  const counted = note(change(decision, { failedAttempts }), 'nothing', `attempt ${run.attempt} failed: ${code}`);
  if (!isLastAttempt(failedAttempts, code, input.policy)) {
    return endRun(
      change(counted, { wanted: presentOf(input) ?? inputIn(run), asked: askedAgain(decision, run) }),
      'another attempt follows',
    );
  }
  const last = enterPhase(run, 'giving_up', `${run.runId}-failure`, input.nowMs + input.policy.postTimeoutMs);
  const moved = change(counted, { running: last });
  return scheduleOverdue(emit(moved, { kind: 'give_up', run: last, code }, 'no attempt is left'), last, input.nowMs);
};

/**
 * The run of the other process replaces this run. This run neither fails nor is counted again, because both announced
 * the same number of runs. If the other run does not end by its deadline, it counts as a failed attempt, and the next
 * attempt continues its work.
 */
export const giveWay = (decision: Decision, run: Run, { other }: PostEvent, input: DecideInput): Decision => {
  if (other === undefined) return endRun(decision, 'another process reviews this input');
  const { nowMs, policy } = input;
  const deadlineMs = other.until === null ? nowMs + policy.postTimeoutMs : other.until * 1000;
  const { review, attempt } = other;
  const base = {
    ...run,
    runId: other.run,
    review,
    attempt,
    phase: 'reviewing',
    planId: null,
    elsewhere: true,
  } as const;
  const theirs: Run = { ...base, waits: undefined, deadlineMs };
  const reason = 'another process reviews this input: waiting for its result';
  const waiting = note(change(decision, { running: theirs }), 'nothing', reason);
  const { slotHeld } = waiting.state;
  const free = slotHeld ? emit(change(waiting, { slotHeld: false }), { kind: 'release_slot' }, reason) : waiting;
  return scheduleOverdue(free, theirs, nowMs);
};

/** This process cannot stop the other run, so a newer input does not wait for it. */
export const leaveOtherRun = (decision: Decision): Decision => {
  const { running, wanted } = decision.state;
  const isLeft = running?.elsewhere === true && wanted !== null && !mayBeSameInput(running, wanted);
  return isLeft ? endRun(decision, 'a newer input arrived; another process reviews the older one') : decision;
};
