/** How reports of runs and of the poster move the run in progress. */
import { change, type DecideInput, type Decision, endRun, note, order, scheduleOverdue } from './decision.ts';
import type { InboxEvent, PostEvent, RunEvent } from './events.ts';
import type { Run } from './state.ts';

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
    return input.nowMs < run.deadlineMs ? board : failAttempt(board, run, 'RUN_OVERDUE', input);
  }
  if (run.phase !== 'reviewing') return note(board, 'nothing', 'a repeated report of the reviewer');
  switch (event.kind) {
    case 'drafted': {
      const posting = enterPhase(run, 'posting', `${run.runId}-round`, input.nowMs + input.policy.postTimeoutMs);
      const moved = change(board, { running: posting });
      return scheduleOverdue(
        order(moved, { kind: 'post_round', run: posting }, 'the draft of the current run is complete'),
        posting,
        input.nowMs,
      );
    }
    case 'superseded':
      return supersede(board, 'the reviewer stopped for a newer head', input);
    case 'failed':
      return failAttempt(board, run, event.code ?? 'UNEXPECTED', input);
    default:
      return event.kind satisfies never;
  }
};

const enterPhase = (run: Run, phase: Run['phase'], planId: string | null, deadlineMs: number): Run => ({
  ...run,
  phase,
  planId,
  deadlineMs,
});

const applyPostReport = (board: Decision, event: PostEvent, run: Run, input: DecideInput): Decision => {
  if (run.planId !== event.planId) return note(board, 'nothing', 'a repeated report of the poster');
  if (run.phase === 'giving_up') return endGivenUp(board, run);
  switch (event.outcome) {
    case 'head_moved':
      return supersede(board, 'the head moved before anything was posted', input);
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
  const newer = board.state.wanted !== null && board.state.wanted !== run.head;
  if (newer && !run.mustFinish) return supersede(board, 'a newer head is wanted before the review began', input);
  const reviewing = enterPhase(run, 'reviewing', null, nowMs + policy.runTimeoutMs);
  const moved = change(board, { running: reviewing });
  return scheduleOverdue(order(moved, { kind: 'review', run: reviewing }, 'the run is announced'), reviewing, nowMs);
};

const completeRound = (board: Decision, run: Run): Decision =>
  endRun(
    change(board, {
      roundsDone: Math.max(board.state.roundsDone, run.round),
      failedAttempts: 0,
      supersededInRow: 0,
      reviewedHeads: [...board.state.reviewedHeads, run.head],
    }),
    `round ${run.round} is posted`,
  );

const endGivenUp = (board: Decision, run: Run): Decision =>
  endRun(
    change(board, { failedAttempts: 0, closedHeads: [...board.state.closedHeads, run.head] }),
    'the failed review was handed off',
  );

/** The run is used up, the round is not. The newest head must not be lost with it, even if its own event was. */
const supersede = (board: Decision, reason: string, { facts }: DecideInput): Decision => {
  const { supersededInRow, wanted, quiet } = board.state;
  const next = quiet === null ? (wanted ?? facts.changeRequest?.head ?? null) : wanted;
  return endRun(change(board, { supersededInRow: supersededInRow + 1, wanted: next }), reason);
};

const failAttempt = (board: Decision, run: Run, code: string, input: DecideInput): Decision => {
  if (run.phase === 'giving_up') return endGivenUp(board, run);
  const failedAttempts = Math.max(board.state.failedAttempts + 1, run.attempt);
  const counted = note(change(board, { failedAttempts }), 'nothing', `attempt ${run.attempt} failed: ${code}`);
  if (failedAttempts < input.policy.rounds.attempts) {
    return endRun(change(counted, { wanted: input.facts.changeRequest?.head ?? run.head }), 'another attempt follows');
  }
  const last = enterPhase(run, 'giving_up', `${run.runId}-failure`, input.nowMs + input.policy.postTimeoutMs);
  const moved = change(counted, { running: last });
  return scheduleOverdue(order(moved, { kind: 'give_up', run: last, code }, 'no attempt is left'), last, input.nowMs);
};

const endOverdue = (board: Decision, input: DecideInput): Decision => {
  const run = board.state.running;
  return run !== null && input.nowMs >= run.deadlineMs ? failAttempt(board, run, 'RUN_OVERDUE', input) : board;
};
