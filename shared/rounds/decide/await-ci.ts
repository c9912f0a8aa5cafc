/** Posts a result that is ready. If only CI can prevent a pass, waits for CI first; any other verdict is posted at once. */
import { change, type DecideInput, type Decision, enterPhase, note, emit, scheduleOverdue } from './decision.ts';
import { failAttempt, supersede } from './end-attempt.ts';
import { type Result, resultOf } from './result-of-run.ts';
import type { InboxEvent } from '../model/events.ts';
import { type Input, inputOf, mayBeSameInput } from '../model/input.ts';
import { reportWaitMs } from '../model/policy.ts';
import { mustFinish, type Run } from '../model/run.ts';
import type { GuardState } from '../model/state.ts';

/** A result that violates the protocol or was lost fails the attempt, and no part of it is posted. */
export const settleRun = (decision: Decision, run: Run, input: DecideInput): Decision => {
  const result = resultOf(run, input);
  if (result.kind === 'failed') return failAttempt(decision, run, result.code, input);
  const asking = withAsking(decision, result);
  return mustWait(result, input) ? awaitCi(asking, run, input) : post(asking, result, input);
};

const withAsking = (decision: Decision, { passes }: Result): Decision =>
  passes ? { ...decision, asksCi: true } : decision;

/** Continues a waiting run when CI has ended, its deadline has passed, or the head has moved. */
export const goOnAfterCi = (decision: Decision, input: DecideInput): Decision => {
  const { running: run } = decision.state;
  if (run?.phase !== 'waiting_ci') return decision;
  const { changeRequest } = input.facts;
  if (!mustFinish(run) && (changeRequest === null || !mayBeSameInput(run, inputOf(changeRequest))))
    return supersede(decision, 'the input changed while the review waited for CI', input);
  const result = resultOf(run, input);
  if (result.kind === 'failed') return failAttempt(decision, run, result.code, input);
  const asking = withAsking(decision, result);
  if (input.nowMs >= run.deadlineMs || !mustWait(result, input)) return post(asking, result, input);
  return input.nowMs >= (run.nextLookMs ?? 0) ? scheduleLook(asking, run, input) : asking;
};

const isOpen = ({ facts: { ci } }: DecideInput): boolean => ci?.kind === 'pending' || ci?.kind === 'awaited';

const mustWait = ({ passes }: Result, input: DecideInput): boolean =>
  passes && input.policy.gate.waitForCi && isOpen(input);

/** If CI is still pending but is not waited for, it does not count. CI never counts for a result that cannot pass. */
const ciThatCounts = ({ passes }: Result, input: DecideInput): DecideInput['facts']['ci'] =>
  !passes || (isOpen(input) && !input.policy.gate.waitForCi) ? null : input.facts.ci;

const post = (decision: Decision, result: Result, input: DecideInput): Decision => {
  const { nowMs, policy } = input;
  const { run } = result;
  const [planId, deadlineMs] = [`${run.runId}-review`, nowMs + policy.postTimeoutMs] as const;
  const posting = enterPhase(run, 'posting', planId, deadlineMs);
  const moved = change(decision, { running: posting });
  const effect = result.effectOf(ciThatCounts(result, input), { planId, deadlineMs });
  return scheduleOverdue(emit(moved, effect, result.reason), posting, nowMs);
};

/** The run releases its slot while it waits, so that other reviews of the project can run. */
const awaitCi = (decision: Decision, run: Run, input: DecideInput): Decision => {
  const { nowMs } = input;
  const { ci } = input.facts;
  const waiting = enterPhase(run, 'waiting_ci', null, nowMs + waitMs(input));
  const why = ci?.kind === 'awaited' ? 'the CI of this head may not have begun' : 'the CI of this head has not ended';
  const moved = freeSlot(note(change(decision, { running: waiting }), 'nothing', why));
  return scheduleLook(scheduleOverdue(moved, waiting, nowMs), waiting, input);
};

const freeSlot = (decision: Decision): Decision =>
  decision.state.slotHeld
    ? emit(change(decision, { slotHeld: false }), { kind: 'release_slot' }, 'nothing else runs while it waits for CI')
    : decision;

/** The wait in progress for this input, or the one that would begin now. */
const reportWaitOf = (
  { reportWait }: GuardState,
  { head }: Input,
  { nowMs, policy }: DecideInput,
): NonNullable<GuardState['reportWait']> =>
  reportWait?.head === head ? reportWait : { head, untilMs: nowMs + reportWaitMs(policy), nextLookMs: nowMs };

/** True if the review must not begin yet. However often the job is started again, the wait ends at its deadline. */
export const mustAwaitReports = (state: GuardState, wanted: Input, input: DecideInput): boolean =>
  input.facts.awaitsReports === true && input.nowMs < reportWaitOf(state, wanted, input).untilMs;

/** Checks the job again after a while. The input stays wanted, no run is counted, and the slot is free for other reviews. */
export const awaitReports = (decision: Decision, wanted: Input, input: DecideInput): Decision => {
  const { nowMs, policy } = input;
  const { head, untilMs, nextLookMs } = reportWaitOf(decision.state, wanted, input);
  const waiting = freeSlot(decision);
  if (nowMs < nextLookMs) return waiting;
  const nextMs = Math.min(untilMs, nowMs + lookEveryMs(policy));
  const event: InboxEvent = { source: 'wake', id: `reports-${head}-${nextMs}`, atMs: nowMs };
  const looking = change(waiting, { reportWait: { head, untilMs, nextLookMs: nextMs } });
  const why = 'a CI job that makes a report has not ended';
  return emit(looking, { kind: 'schedule', event, delayMs: nextMs - nowMs + 50 }, why);
};

/** The deadline counts from the time when CI begins, so the time in which CI may still begin is added. */
const waitMs = ({ facts: { ci }, nowMs, policy }: DecideInput): number =>
  policy.gate.ciDeadlineMs + (ci?.kind === 'awaited' ? Math.max(0, ci.untilMs - nowMs) : 0);

const MIN_LOOK_MS = 1_000;
const MAX_LOOK_MS = 30_000;
/** Minimum number of times that CI is checked within a short deadline. */
const LOOKS = 20;

const lookEveryMs = ({ gate }: DecideInput['policy']): number =>
  Math.min(MAX_LOOK_MS, Math.max(MIN_LOOK_MS, Math.ceil(gate.ciDeadlineMs / LOOKS)));

/**
 * CI is polled: each check schedules the next one. Not every forge sends an event for each status, and events get lost.
 */
const scheduleLook = (decision: Decision, run: Run, { facts: { ci }, nowMs, policy }: DecideInput): Decision => {
  const usualMs = lookEveryMs(policy);
  const delayMs = ci?.kind === 'awaited' ? Math.min(usualMs, Math.max(0, ci.untilMs - nowMs)) : usualMs;
  const nextLookMs = nowMs + delayMs;
  const event: InboxEvent = { source: 'wake', id: `ci-${run.runId}-${nextLookMs}`, atMs: nowMs };
  const looking = change(decision, { running: { ...run, nextLookMs } });
  return emit(looking, { kind: 'schedule', event, delayMs: delayMs + 50 }, 'CI is checked again');
};
