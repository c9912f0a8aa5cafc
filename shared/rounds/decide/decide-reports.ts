/** How reports of runs and of the poster move the run in progress. */
import { askedAfterCarry } from './decide-carry.ts';
import { endTalk } from './decide-thread-replies.ts';
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
import { inputIn, mayBeSameInput } from '../model/input.ts';
import { settleRun } from './await-ci.ts';
import { carriedBy, mustFinish } from '../model/run.ts';
import type { Run } from '../model/run.ts';
import { endGivenUp, failAttempt, supersede } from './end-attempt.ts';

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
      return settleRun(board, run, input);
    case 'same_input':
      return sameInput(board, run, event, input);
    case 'superseded':
      return supersede(board, 'the reviewer stopped for a newer head', input);
    case 'failed':
      return failAttempt(board, run, event.code ?? 'UNEXPECTED', input);
    default:
      return event.kind satisfies never;
  }
};

/** Only a review and a comparison carry a verdict. */
const sameInput = (board: Decision, run: Run, { carried }: RunEvent, input: DecideInput): Decision =>
  carried === undefined || (run.kind !== 'review' && run.kind !== 'carry')
    ? failAttempt(board, run, 'UNEXPECTED', input)
    : settleRun(board, { ...run, carried }, input);

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
  if (newer && !mustFinish(run)) return supersede(board, 'a newer input is wanted before the review began', input);
  const reviewing = enterPhase(run, 'reviewing', null, nowMs + policy.runTimeoutMs);
  const moved = change(board, { running: reviewing });
  return scheduleOverdue(order(moved, { kind: 'review', run: reviewing }, 'the run is announced'), reviewing, nowMs);
};

const completeRound = (board: Decision, run: Run): Decision => {
  if (run.kind === 'reply' || run.kind === 'reevaluate') return endTalk(board, run, 'the threads are answered');
  const settled = change(board, {
    failedAttempts: 0,
    supersededInRow: 0,
    // What the reviewer computed is in the marker; until the forge shows it, the merge base is not known.
    reviewed: [...board.state.reviewed, { ...inputIn(run), base: null }],
  });
  if (carriedBy(run) !== undefined) {
    const heard = run.kind === 'carry' ? change(settled, askedAfterCarry(settled.state, run)) : settled;
    return endRun(heard, 'the carried verdict is posted; no round is used');
  }
  const roundsDone = Math.max(board.state.roundsDone, run.round);
  return endRun(change(settled, { roundsDone }), `round ${run.round} is posted`);
};

const endOverdue = (board: Decision, input: DecideInput): Decision => {
  const run = board.state.running;
  if (run === null || run.phase === 'waiting_ci') return board;
  return input.nowMs >= run.deadlineMs ? failAttempt(board, run, 'RUN_OVERDUE', input) : board;
};
