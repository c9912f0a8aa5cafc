import { change, type DecideInput, type Decision, enterPhase, note, emit, scheduleOverdue } from './decision.ts';
import type { InboxEvent, PostEvent, RunEvent } from '../model/events.ts';
import { mayBeSameInput } from '../model/input.ts';
import { settleRun } from './await-ci.ts';
import { mustFinish } from '../model/run.ts';
import type { Run } from '../model/run.ts';
import { completeRun, isPosted } from './complete-run.ts';
import { endGivenUp, failAttempt, giveWay, supersede } from './end-attempt.ts';

export const applyReports = (decision: Decision, input: DecideInput): Decision => {
  const reported = input.events.reduce((current, event) => applyReport(current, event, input), decision);
  return endOverdue(reported, input);
};

const applyReport = (decision: Decision, event: InboxEvent, input: DecideInput): Decision => {
  if (event.source !== 'run' && event.source !== 'post') return decision;
  const { running: run, fixing } = decision.state;
  if (event.source === 'post' && event.runId === fixing?.runId) return decision;
  if (run === null || run.runId !== event.runId)
    return note(decision, 'nothing', 'the report is not about the current run');
  return event.source === 'run'
    ? applyRunReport(decision, event, run, input)
    : applyPostReport(decision, event, run, input);
};

const applyRunReport = (decision: Decision, event: RunEvent, run: Run, input: DecideInput): Decision => {
  if (event.kind === 'overdue') {
    // Only the run's own deadline counts: this event may belong to an earlier phase.
    return input.nowMs < run.deadlineMs || run.phase === 'waiting_ci'
      ? decision
      : failAttempt(decision, run, 'RUN_OVERDUE', input);
  }
  if (run.phase !== 'reviewing') return note(decision, 'nothing', 'the reviewer repeated its report');
  switch (event.kind) {
    case 'drafted':
      return settleRun(decision, run, input);
    case 'same_input':
      return sameInput(decision, run, event, input);
    case 'superseded':
      return supersede(decision, 'the reviewer stopped for a newer head', input);
    case 'failed':
      return failAttempt(decision, run, event.code ?? 'UNEXPECTED', input);
    default:
      return event.kind satisfies never;
  }
};

/** Only a run of kind `review` can carry a verdict. */
const sameInput = (decision: Decision, run: Run, { carried }: RunEvent, input: DecideInput): Decision =>
  carried === undefined || run.kind !== 'review'
    ? failAttempt(decision, run, 'UNEXPECTED', input)
    : settleRun(decision, { ...run, carried }, input);

const applyPostReport = (decision: Decision, event: PostEvent, run: Run, input: DecideInput): Decision => {
  if (run.planId !== event.planId) return note(decision, 'nothing', 'the poster repeated its report');
  if (event.outcome === 'gave_way') return giveWay(decision, run, event, input);
  if (run.phase === 'giving_up') return endGivingUp(decision, event, run, input);
  if (isPosted(run, input)) return completeRun(decision, run);
  switch (event.outcome) {
    case 'head_moved':
      return supersede(decision, 'the input changed before anything was posted', input);
    case 'failed':
      return failAttempt(decision, run, event.code ?? 'UNEXPECTED', input);
    case 'posted':
      return run.phase === 'announcing' ? beginReview(decision, run, input) : completeRun(decision, run);
    default:
      return event.outcome satisfies never;
  }
};

/**
 * An input that changed before its failure was posted stays open: if it comes back, nobody has been notified of it yet.
 */
const endGivingUp = (decision: Decision, { outcome }: PostEvent, run: Run, input: DecideInput): Decision => {
  const { parked } = decision.state;
  const waits = parked !== null && mayBeSameInput(parked, run);
  if (outcome !== 'head_moved' || run.kind !== 'review' || waits) return endGivenUp(decision, run);
  return supersede(change(decision, { failedAttempts: 0 }), 'the input changed before its failure was posted', input);
};

const beginReview = (decision: Decision, run: Run, input: DecideInput): Decision => {
  const { nowMs, policy } = input;
  const newer = decision.state.wanted !== null && !mayBeSameInput(run, decision.state.wanted);
  if (newer && !mustFinish(run)) return supersede(decision, 'a newer input arrived before the review began', input);
  const reviewing = enterPhase(run, 'reviewing', null, nowMs + policy.runTimeoutMs);
  const moved = change(decision, { running: reviewing });
  return scheduleOverdue(emit(moved, { kind: 'review', run: reviewing }, 'the run is announced'), reviewing, nowMs);
};

const endOverdue = (decision: Decision, input: DecideInput): Decision => {
  const run = decision.state.running;
  if (run === null || run.phase === 'waiting_ci') return decision;
  return input.nowMs >= run.deadlineMs ? failAttempt(decision, run, 'RUN_OVERDUE', input) : decision;
};
