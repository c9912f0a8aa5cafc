/** How an attempt ends without a result: superseded, failed or given up. */
import { failCarry } from './decide-carry.ts';
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
import { inputIn, inputOf, mayBeSameInput } from '../model/input.ts';
import type { Run } from '../model/run.ts';
import type { GuardState } from '../model/state.ts';

export const endGivenUp = (decision: Decision, run: Run): Decision => {
  if (run.kind === 'reply' || run.kind === 'reevaluate')
    return endReplies(decision, run, 'the threads were handed to a human');
  const { closed, parked, failedAttempts } = decision.state;
  const isParked = parked !== null && !parked.again && mayBeSameInput(parked, run);
  const given = change(decision, {
    // No attempt was made of a head that is parked.
    failedAttempts: isParked ? failedAttempts : 0,
    closed: [...closed, inputIn(run)],
  });
  return endRun(given, isParked ? 'its head waits until it is tried again' : 'the failed review was handed off');
};

/**
 * What was asked for is not lost with the run, unless somebody has asked for something else since, or only the report of
 * its round was lost: asked again, a reviewed head would be reviewed twice.
 */
const askedAgain = ({ state: { asked } }: Decision, run: Run | null, { facts }: DecideInput): GuardState['asked'] => {
  if (asked !== null || run === null) return asked;
  const isOnForge = facts.history.reviewed.some((each) => each.round === run.round && mayBeSameInput(each, run));
  const { full = false, instructions = '' } = run.kind === 'review' ? run : {};
  return isOnForge ? null : { ...inputIn(run), full, instructions };
};

const presentOf = ({ facts: { changeRequest } }: DecideInput): GuardState['wanted'] =>
  changeRequest === null ? null : inputOf(changeRequest);

/** The run is used up, the round is not. The newest head must not be lost with it, even if its own event was. */
export const supersede = (decision: Decision, reason: string, input: DecideInput): Decision => {
  const { supersededInRow, wanted, quiet, running } = decision.state;
  // What was reviewed is not lost with its talk; whether the next head is reviewed, its own event says.
  if (running?.kind === 'reply' || running?.kind === 'reevaluate') return endRun(decision, reason);
  const next = quiet === null ? (wanted ?? presentOf(input)) : wanted;
  // Nothing is carried late: what only carries brings no other run nearer to its end.
  const inRow = running?.kind === 'carry' ? supersededInRow : supersededInRow + 1;
  return endRun(
    change(decision, { supersededInRow: inRow, wanted: next, asked: askedAgain(decision, running, input) }),
    reason,
  );
};

export const failAttempt = (decision: Decision, run: Run, code: string, input: DecideInput): Decision => {
  if (run.phase === 'giving_up') return endGivenUp(decision, run);
  if (run.kind === 'reply' || run.kind === 'reevaluate') return failReplies(decision, run, code, input);
  if (run.kind === 'carry') return failCarry(decision, run, code, input);
  const failedAttempts = Math.max(decision.state.failedAttempts + 1, run.attempt);
  const counted = note(change(decision, { failedAttempts }), 'nothing', `attempt ${run.attempt} failed: ${code}`);
  if (failedAttempts < input.policy.rounds.attempts) {
    return endRun(
      change(counted, { wanted: presentOf(input) ?? inputIn(run), asked: askedAgain(decision, run, input) }),
      'another attempt follows',
    );
  }
  const last = enterPhase(run, 'giving_up', `${run.runId}-failure`, input.nowMs + input.policy.postTimeoutMs);
  const moved = change(counted, { running: last });
  return scheduleOverdue(emit(moved, { kind: 'give_up', run: last, code }, 'no attempt is left'), last, input.nowMs);
};
