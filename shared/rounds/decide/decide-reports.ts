/** How reports of runs and of the poster move the run in progress. */
import { askedAfterCarry, failCarry } from './decide-carry.ts';
import { endTalk, failTalk } from './decide-talk.ts';
import {
  change,
  type DecideInput,
  type Decision,
  endRun,
  enterPhase,
  note,
  order,
  scheduleOverdue,
} from './decision.ts';
import type { InboxEvent, PostEvent, RunEvent } from '../model/events.ts';
import { inputIn, inputOf, mayBeSameInput } from '../model/input.ts';
import { readyRound } from './ready-round.ts';
import type { GuardState, Run } from '../model/state.ts';

export const applyReports = (board: Decision, input: DecideInput): Decision => {
  const reported = input.events.reduce((current, event) => applyReport(current, event, input), board);
  return endOverdue(reported, input);
};

const applyReport = (board: Decision, event: InboxEvent, input: DecideInput): Decision => {
  if (event.source !== 'run' && event.source !== 'post') return board;
  const { running: run, fixing } = board.state;
  if (event.source === 'post' && event.runId === fixing?.runId) return board;
  if (run === null || run.runId !== event.runId)
    return note(board, 'nothing', 'a report of a run that is not the current one');
  return event.source === 'run' ? applyRunReport(board, event, run, input) : applyPostReport(board, event, run, input);
};

const applyRunReport = (board: Decision, event: RunEvent, run: Run, input: DecideInput): Decision => {
  if (event.kind === 'overdue') {
    // The run's own deadline decides: this event may belong to an earlier phase.
    return input.nowMs < run.deadlineMs || run.phase === 'waiting_ci'
      ? board
      : failAttempt(board, run, 'RUN_OVERDUE', input);
  }
  if (run.phase !== 'reviewing') return note(board, 'nothing', 'a repeated report of the reviewer');
  switch (event.kind) {
    case 'drafted':
      return run.onlyCarry === true ? failAttempt(board, run, 'UNEXPECTED', input) : readyRound(board, run, input);
    case 'same_input':
      return event.carried === undefined
        ? failAttempt(board, run, 'UNEXPECTED', input)
        : readyRound(board, { ...run, carried: event.carried }, input);
    case 'superseded':
      return supersede(board, 'the reviewer stopped for a newer head', input);
    case 'failed':
      return failAttempt(board, run, event.code ?? 'UNEXPECTED', input);
    default:
      return event.kind satisfies never;
  }
};

const applyPostReport = (board: Decision, event: PostEvent, run: Run, input: DecideInput): Decision => {
  if (run.planId !== event.planId) return note(board, 'nothing', 'a repeated report of the poster');
  if (run.phase === 'giving_up') return endGivenUp(board, run);
  switch (event.outcome) {
    case 'head_moved':
      return supersede(board, 'the input changed before anything was posted', input);
    case 'failed':
      return failAttempt(board, run, event.code ?? 'UNEXPECTED', input);
    case 'posted':
      return run.phase === 'announcing' ? beginReview(board, run, input) : completeRound(board, run);
    default:
      return event.outcome satisfies never;
  }
};

const beginReview = (board: Decision, run: Run, input: DecideInput): Decision => {
  const { nowMs, policy } = input;
  const newer = board.state.wanted !== null && !mayBeSameInput(run, board.state.wanted);
  if (newer && !run.mustFinish) return supersede(board, 'a newer input is wanted before the review began', input);
  const reviewing = enterPhase(run, 'reviewing', null, nowMs + policy.runTimeoutMs);
  const moved = change(board, { running: reviewing });
  return scheduleOverdue(order(moved, { kind: 'review', run: reviewing }, 'the run is announced'), reviewing, nowMs);
};

const completeRound = (board: Decision, run: Run): Decision => {
  if (run.talk !== undefined) return endTalk(board, run, 'the threads are answered');
  const settled = change(board, {
    failedAttempts: 0,
    supersededInRow: 0,
    // What the reviewer computed is in the marker; until the forge shows it, the merge base is not known.
    reviewed: [...board.state.reviewed, { ...inputIn(run), base: null }],
  });
  if (run.carried !== undefined) {
    const heard = run.onlyCarry === true ? change(settled, askedAfterCarry(settled.state, run)) : settled;
    return endRun(heard, 'the carried verdict is posted; no round is used');
  }
  const roundsDone = Math.max(board.state.roundsDone, run.round);
  return endRun(change(settled, { roundsDone }), `round ${run.round} is posted`);
};

const endGivenUp = (board: Decision, run: Run): Decision => {
  if (run.talk !== undefined) return endTalk(board, run, 'the threads were handed to a human');
  const { closed, parked, failedAttempts } = board.state;
  const isParked = parked !== null && !parked.again && mayBeSameInput(parked, run);
  const given = change(board, {
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
  return isOnForge ? null : { ...inputIn(run), full: run.full === true, instructions: run.instructions ?? '' };
};

const presentOf = ({ facts: { changeRequest } }: DecideInput): GuardState['wanted'] =>
  changeRequest === null ? null : inputOf(changeRequest);

/** The run is used up, the round is not. The newest head must not be lost with it, even if its own event was. */
export const supersede = (board: Decision, reason: string, input: DecideInput): Decision => {
  const { supersededInRow, wanted, quiet, running } = board.state;
  // What was reviewed is not lost with its talk; whether the next head is reviewed, its own event says.
  if (running?.talk !== undefined) return endRun(board, reason);
  const next = quiet === null ? (wanted ?? presentOf(input)) : wanted;
  // Nothing is carried late: what only carries brings no other run nearer to its end.
  const inRow = running?.onlyCarry === true ? supersededInRow : supersededInRow + 1;
  return endRun(
    change(board, { supersededInRow: inRow, wanted: next, asked: askedAgain(board, running, input) }),
    reason,
  );
};

export const failAttempt = (board: Decision, run: Run, code: string, input: DecideInput): Decision => {
  if (run.phase === 'giving_up') return endGivenUp(board, run);
  if (run.talk !== undefined) return failTalk(board, run, code, input);
  if (run.onlyCarry === true) return failCarry(board, run, code, input);
  const failedAttempts = Math.max(board.state.failedAttempts + 1, run.attempt);
  const counted = note(change(board, { failedAttempts }), 'nothing', `attempt ${run.attempt} failed: ${code}`);
  if (failedAttempts < input.policy.rounds.attempts) {
    return endRun(
      change(counted, { wanted: presentOf(input) ?? inputIn(run), asked: askedAgain(board, run, input) }),
      'another attempt follows',
    );
  }
  const last = enterPhase(run, 'giving_up', `${run.runId}-failure`, input.nowMs + input.policy.postTimeoutMs);
  const moved = change(counted, { running: last });
  return scheduleOverdue(order(moved, { kind: 'give_up', run: last, code }, 'no attempt is left'), last, input.nowMs);
};

const endOverdue = (board: Decision, input: DecideInput): Decision => {
  const run = board.state.running;
  if (run === null || run.phase === 'waiting_ci') return board;
  return input.nowMs >= run.deadlineMs ? failAttempt(board, run, 'RUN_OVERDUE', input) : board;
};
