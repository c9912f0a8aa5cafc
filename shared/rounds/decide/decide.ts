/** Decides what guard does, in the order of `decideOnEvents`. Pure: equal events, facts and state give equal decisions. */
import { boundWaits } from './bound-waits.ts';
import { capHead, capReached } from './cap-head.ts';
import { awaitReports, goOnAfterCi, mustAwaitReports } from './await-ci.ts';
import { applyFixReports } from './decide-fix-reports.ts';
import { orderFix } from './decide-fix.ts';
import { applyOutages, isUncounted, retryParked } from './decide-outage.ts';
import { applyReports } from './decide-reports.ts';
import { decideAuthorMessage } from './decide-messages.ts';
import { startReplies } from './decide-thread-replies.ts';
import { applyTriggers } from './decide-triggers.ts';
import {
  change,
  type DecideInput,
  type Decision,
  endRun,
  isAsked,
  isDoubtful,
  isInputSettled,
  note,
  emit,
  scheduleOverdue,
} from './decision.ts';
import { applyCommands } from './decide-commands.ts';
import { markSeen, withGrantsOf } from '../commands/seen-commands.ts';
import { isHeldByCi, reevaluateVerdict } from './reevaluate-verdict.ts';
import { withdrawApproval } from './withdraw-approval.ts';
import { followInput } from './follow-input.ts';
import { leaveOtherRun } from './end-attempt.ts';
import { followStatus, leaveRun, repairStatus } from './follow-status.ts';
import { inputIn, inputOf, type Input, mayBeSameInput } from '../model/input.ts';
import type { ReviewRun } from '../model/run.ts';
import type { GuardState } from '../model/state.ts';

export const decide = (input: DecideInput): Decision => {
  const decision = releaseIdleSlot(decideOnEvents(input));
  return change(decision, {
    seenCommands: markSeen(withGrantsOf(input.facts.seenCommands, input.events), everyCall(input.facts), input.nowMs),
    heldByCi: headHeldByCi(input.facts),
    firstSeen: firstSight(input),
    reportWait: reportWaitOfWanted(decision.state),
  });
};

/** A slot may be granted for a run that is not wanted any more when it could begin, for example because of a merge. */
const releaseIdleSlot = (decision: Decision): Decision => {
  const { slotHeld, running, wanted } = decision.state;
  return slotHeld && running === null && wanted === null
    ? emit(change(decision, { slotHeld: false }), { kind: 'release_slot' }, 'no run needs the slot')
    : decision;
};

const headHeldByCi = ({ changeRequest, history }: DecideInput['facts']): GuardState['heldByCi'] =>
  changeRequest?.state === 'open' && isHeldByCi(history, inputOf(changeRequest)) ? changeRequest.head : null;

const firstSight = ({ facts: { changeRequest }, state: { firstSeen }, nowMs }: DecideInput): GuardState['firstSeen'] =>
  changeRequest === null || firstSeen?.head === changeRequest.head
    ? firstSeen
    : { head: changeRequest.head, atMs: nowMs };

const reportWaitOfWanted = ({ wanted, reportWait }: GuardState): GuardState['reportWait'] =>
  reportWait?.head === wanted?.head ? reportWait : null;

const everyCall = ({ requests, orders, fix }: DecideInput['facts']) => [
  ...requests,
  ...orders,
  ...(fix?.requests ?? []),
];

const decideOnEvents = (input: DecideInput): Decision => {
  const decision = boundWaits(input.state, input);
  if (input.facts.changeRequest === null) return endAll(decision, 'the change request does not exist any more');
  if (input.facts.changeRequest.state !== 'open')
    return followStatus(
      endAll(lastWords(decision, input), `the change request is ${input.facts.changeRequest.state}`),
      input,
    );
  return [
    applyOutages,
    applyReports,
    goOnAfterCi,
    applyFixReports,
    applyCommands,
    applyTriggers,
    retryParked,
    followInput,
    promoteQuietHead,
    leaveOtherRun,
    orderFix,
    startRun,
    reevaluateVerdict,
    withdrawApproval,
    decideAuthorMessage,
    startReplies,
    followStatus,
    leaveRun,
    repairStatus,
  ].reduce((current, part) => part(current, input), decision);
};

/** The change request ended: orders a last status for heads whose status is pending and that no run will finish. */
const lastWords = (decision: Decision, { freshRunId }: DecideInput): Decision => {
  const { running, quiet, wanted } = decision.state;
  const heads = [...new Set([running?.head ?? [], quiet?.head ?? [], wanted?.head ?? []].flat())];
  if (heads.length === 0) return decision;
  return emit(
    decision,
    { kind: 'post_closed', heads, noticeId: freshRunId },
    'the change request ended before its review was complete',
  );
};

const endAll = (decision: Decision, reason: string): Decision => {
  const idle = change(decision, { wanted: null, quiet: null, asked: null, fixing: null });
  return idle.state.running === null ? note(idle, 'nothing', reason) : endRun(idle, reason);
};

const promoteQuietHead = (decision: Decision, { facts, nowMs }: DecideInput): Decision => {
  const { quiet } = decision.state;
  if (quiet === null || nowMs < quiet.untilMs || facts.changeRequest === null) return decision;
  const { running } = decision.state;
  const present = inputOf(facts.changeRequest);
  if ((running !== null && mayBeSameInput(running, present)) || isInputSettled(decision.state, present))
    return change(decision, { quiet: null });
  return note(change(decision, { quiet: null, wanted: present }), 'want', 'there was no push during the quiet time');
};

const startRun = (decision: Decision, input: DecideInput): Decision => {
  const { wanted, running, fixing, slotHeld } = decision.state;
  if (wanted === null || running !== null || fixing !== null) return decision;
  if (isInputSettled(decision.state, wanted) && !isAsked(decision.state, wanted))
    return note(change(decision, { wanted: null }), 'nothing', 'this input already has its verdict');
  const cap = capReached(decision.state, input);
  if (cap !== null) {
    // If the merge base is unknown, the input may be one that was already reviewed: its status stays pending.
    if (isDoubtful(decision.state, wanted))
      return note(change(decision, { wanted: null }), 'nothing', 'the merge base is not known, and no run is left');
    return capHead(decision, input, { input: wanted, cap });
  }
  if (mustAwaitReports(decision.state, wanted, input)) return awaitReports(decision, wanted, input);
  if (!slotHeld) return emit(decision, { kind: 'acquire_slot' }, 'a review of this project needs a free slot');
  const run = planRun(decision.state, input, wanted);
  const counted = change(decision, { running: run, wanted: null, asked: null, runsUsed: decision.state.runsUsed + 1 });
  const started = withoutParked(counted, decision.state, wanted);
  const { runsUsed, supersededInRow } = started.state;
  return scheduleOverdue(
    emit(
      started,
      { kind: 'announce', run, runsUsed, supersededInRow },
      `review ${run.review}, attempt ${run.attempt} begins`,
    ),
    run,
    input.nowMs,
  );
};

/** The run of a parked head was already counted, so it is not counted again. */
const withoutParked = (started: Decision, before: GuardState, input: Input): Decision =>
  change(started, {
    parked: null,
    ...(isUncounted(before, input) ? { runsUsed: before.runsUsed } : {}),
  });

const planRun = (state: GuardState, { freshRunId, nowMs, policy }: DecideInput, wanted: Input): ReviewRun => ({
  kind: 'review',
  runId: freshRunId,
  ...inputIn(wanted),
  review: state.reviewsDone + 1,
  attempt: state.failedAttempts + 1,
  phase: 'announcing',
  planId: `${freshRunId}-announce`,
  deadlineMs: nowMs + policy.postTimeoutMs,
  mustFinish: state.supersededInRow >= 2,
  ...askedOf(state),
});

const askedOf = ({ asked }: GuardState): Pick<ReviewRun, 'full' | 'instructions' | 'only'> => ({
  ...(asked?.full === true ? { full: true } : {}),
  ...(asked === null || asked.instructions === '' ? {} : { instructions: asked.instructions }),
  ...(asked?.only === undefined ? {} : { only: asked.only }),
});
