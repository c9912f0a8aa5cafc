/**
 * Handles outages: the job of a run waits because something is unavailable. The run continues, and its deadline is extended
 * once, by the outage patience. If the patience ends before any model call was answered, nothing was spent: the head is
 * parked and retried later, and neither a run nor an attempt is counted. A configuration mistake is handled in the same
 * way, but retried only after a restart.
 */
import { failAttempt } from './end-attempt.ts';
import { change, type DecideInput, type Decision, enterPhase, note, emit, scheduleOverdue } from './decision.ts';
import type { InboxEvent, OutageEvent } from '../model/events.ts';
import { skipRuleOf } from './filters.ts';
import { type Input, inputIn, inputOf, mayBeSameInput } from '../model/input.ts';
import type { Run } from '../model/run.ts';
import type { GuardState, Parked } from '../model/state.ts';

export const MAX_OUTAGE_RETRIES = 20;

/** Error code for a pending review that somebody wrote under the bot's account. Only a person can remove it, on the forge's page. */
export const PENDING_DRAFT = 'FORGE_PENDING_DRAFT';

const FIRST_PAUSE_MS = 10 * 60_000;
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** `retry` is the number of the retry, counted from 1. */
export const outagePauseMs = (retry: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(retry - 1, 20));

export const applyOutages = (decision: Decision, input: DecideInput): Decision =>
  input.events.reduce((current, event) => applyOutage(current, event, input), decision);

const applyOutage = (decision: Decision, event: InboxEvent, input: DecideInput): Decision => {
  if (event.source !== 'outage') return decision;
  const { running, fixing } = decision.state;
  if (fixing?.runId === event.runId && event.kind === 'waits') return fixWaits(decision, event, input);
  if (running === null || running.runId !== event.runId)
    return note(decision, 'nothing', 'the outage is not about the current run');
  return event.kind === 'waits' ? runWaits(decision, running, event, input) : runStops(decision, running, event, input);
};

const patienceOf = ({ policy }: DecideInput): number => policy.outagePatienceMs ?? 0;

const runWaits = (decision: Decision, run: Run, { what, code }: OutageEvent, input: DecideInput): Decision => {
  const isFirst = run.waits === undefined;
  // A second outage in the same phase does not extend the deadline again.
  const waiting: Run = {
    ...run,
    waits: { what, code },
    deadlineMs: run.deadlineMs + (isFirst ? patienceOf(input) : 0),
  };
  const moved = change(decision, { running: waiting });
  const told =
    (run.phase === 'reviewing' || code === PENDING_DRAFT) && run.kind !== 'reply'
      ? emit(
          moved,
          { kind: 'tell_outage', run: waiting, what, code, noticeId: input.freshRunId },
          `the run waits: ${what} is unavailable`,
        )
      : note(moved, 'nothing', `the run waits: ${what} is unavailable`);
  return isFirst ? scheduleOverdue(told, waiting, input.nowMs, '-waits') : told;
};

const fixWaits = (decision: Decision, { what }: OutageEvent, input: DecideInput): Decision => {
  const { fixing } = decision.state;
  if (fixing === null || fixing.waits === true) return decision;
  const deadlineMs = fixing.deadlineMs + patienceOf(input);
  const moved = note(
    change(decision, { fixing: { ...fixing, waits: true, deadlineMs } }),
    'nothing',
    `the fix waits: ${what} is unavailable`,
  );
  // If this event were not added, the fix's deadline would be noticed only when something else wakes guard.
  const event: InboxEvent = { source: 'wake', id: `fix-waits-${fixing.runId}`, atMs: input.nowMs };
  const delayMs = Math.max(0, deadlineMs - input.nowMs) + 50;
  return emit(moved, { kind: 'schedule', event, delayMs }, 'a fix that never reports must end');
};

const runStops = (decision: Decision, run: Run, event: OutageEvent, input: DecideInput): Decision => {
  const retry = decision.state.outages + 1;
  const isUncounted = run.kind === 'review' && ['announcing', 'reviewing'].includes(run.phase);
  if (!isUncounted || retry > MAX_OUTAGE_RETRIES) return failAttempt(decision, run, event.code, input);
  return park(decision, run, { event, retry }, input);
};

type Parking = { readonly event: OutageEvent; readonly retry: number };

const park = (decision: Decision, run: Run, { event, retry }: Parking, input: DecideInput): Decision => {
  const { nowMs, policy } = input;
  const untilMs = event.kind === 'over' ? nowMs + outagePauseMs(retry) : null;
  const parked: Parked = { ...inputIn(run), code: event.code, untilMs, sinceMs: nowMs, again: false };
  const last = enterPhase(run, 'giving_up', `${run.runId}-failure`, nowMs + policy.postTimeoutMs);
  const moved = change(decision, { running: last, parked, outages: retry });
  const outage = { what: event.what, retry, untilMs };
  const told = emit(
    moved,
    { kind: 'give_up', run: last, code: event.code, outage },
    untilMs === null ? `a mistake in the configuration: ${event.code}` : `${event.what} was unavailable for too long`,
  );
  const ending = scheduleOverdue(told, last, nowMs);
  if (untilMs === null) return ending;
  const wake: InboxEvent = { source: 'wake', id: `retry-${run.runId}`, atMs: nowMs };
  return emit(ending, { kind: 'schedule', event: wake, delayMs: untilMs - nowMs + 50 }, 'the review is retried');
};

/** True if the pause has ended, or if guard was restarted during the pause. */
export const isDue = ({ untilMs, sinceMs }: Parked, nowMs: number, startedAtMs: number): boolean =>
  untilMs === null ? startedAtMs > sinceMs : nowMs >= untilMs;

/** Makes the parked head wanted again, as if it had never been closed. */
export const retryParked = (decision: Decision, input: DecideInput): Decision => {
  const { parked, running, wanted, quiet, closed } = decision.state;
  const { changeRequest } = input.facts;
  if (parked === null || parked.again || changeRequest === null) return decision;
  if (running !== null || wanted !== null || quiet !== null) return decision;
  const present = inputOf(changeRequest);
  if (!mayBeSameInput(parked, present)) return decision;
  if (!isDue(parked, input.nowMs, input.startedAtMs ?? 0) || !mayRetry(decision.state, input)) return decision;
  const open = change(decision, {
    parked: { ...parked, again: true },
    closed: closed.filter((each) => !mayBeSameInput(each, present)),
    wanted: present,
  });
  return note(open, 'want', `tried again after an outage or a restart (${parked.code})`);
};

const mayRetry = ({ pauses }: GuardState, { facts: { changeRequest }, policy }: DecideInput): boolean =>
  changeRequest !== null && skipRuleOf(changeRequest, policy, pauses) === null;

/** True if the input was parked before: its run is already counted. */
export const isUncounted = ({ parked }: GuardState, input: Input): boolean =>
  parked !== null && parked.again && mayBeSameInput(parked, input);
