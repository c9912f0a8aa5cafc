/** Limits every stored wait to its setting, because a process whose clock was hours ahead may have stored the wait. */
import { type DecideInput, type Decision, change, emit } from './decision.ts';
import type { InboxEvent } from '../model/events.ts';
import { type Policy, reportWaitMs } from '../model/policy.ts';
import type { Run } from '../model/run.ts';
import type { Fix } from '../model/fixes.ts';
import type { GuardState } from '../model/state.ts';

/** Smaller differences are ignored, because clocks differ and settings change. */
const SLACK_MS = 300_000;

export const boundWaits = (state: GuardState, input: DecideInput): Decision => {
  const { nowMs } = input;
  const decision: Decision = { state, steps: [] };
  const patch = {
    ...quietWithin(state, input),
    ...listeningWithin(state, input),
    ...reportsWithin(state, input),
    ...workWithin(state, input),
  };
  if (Object.keys(patch).length === 0) return decision;
  const event: InboxEvent = { source: 'wake', id: `clock-${nowMs}`, atMs: nowMs };
  const delayMs = soonest({ ...state, ...patch }) - nowMs + 50;
  return emit(
    change(decision, patch),
    { kind: 'schedule', event, delayMs: Math.max(0, delayMs) },
    'a wait would last longer than its setting: the clock was set back',
  );
};

/** A wait with this end has no timer; an event ends it. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** Returns the latest allowed end; null if `endMs` is within the limit. */
const latest = (endMs: number, limitMs: number): number | null =>
  endMs > limitMs + SLACK_MS && endMs !== NEVER_MS ? limitMs : null;

const quietWithin = ({ quiet }: GuardState, { nowMs, policy }: DecideInput): Partial<GuardState> => {
  const untilMs = quiet === null ? null : latest(quiet.untilMs, nowMs + policy.quietMs);
  return quiet === null || untilMs === null ? {} : { quiet: { ...quiet, untilMs } };
};

const listeningWithin = ({ replyDebounce }: GuardState, { nowMs, policy }: DecideInput): Partial<GuardState> => {
  const untilMs = replyDebounce === null ? null : latest(replyDebounce.untilMs, nowMs + policy.quietMs);
  return replyDebounce === null || untilMs === null ? {} : { replyDebounce: { ...replyDebounce, untilMs } };
};

const reportsWithin = ({ reportWait }: GuardState, { nowMs, policy }: DecideInput): Partial<GuardState> => {
  const untilMs = reportWait === null ? null : latest(reportWait.untilMs, nowMs + reportWaitMs(policy));
  return reportWait === null || untilMs === null ? {} : { reportWait: { ...reportWait, untilMs, nextLookMs: nowMs } };
};

const runLimitMs = (run: Run, policy: Policy): number =>
  phaseLimitMs(run, policy) + (run.waits === undefined ? 0 : (policy.outagePatienceMs ?? 0));

const phaseLimitMs = ({ phase }: Run, { runTimeoutMs, postTimeoutMs, gate }: Policy): number => {
  if (phase === 'waiting_ci') return gate.ciDeadlineMs;
  return phase === 'reviewing' ? runTimeoutMs : postTimeoutMs;
};

const fixLimitMs = ({ phase, waits }: Fix, { author, postTimeoutMs, outagePatienceMs = 0 }: Policy): number =>
  (phase === 'working' ? author.timeoutMs : postTimeoutMs) + (waits === true ? outagePatienceMs : 0);

const workWithin = ({ running, fixing }: GuardState, { nowMs, policy }: DecideInput): Partial<GuardState> => {
  const runMs = running === null ? null : latest(running.deadlineMs, nowMs + runLimitMs(running, policy));
  const fixMs = fixing === null ? null : latest(fixing.deadlineMs, nowMs + fixLimitMs(fixing, policy));
  return {
    ...(running === null || runMs === null ? {} : { running: bounded(running, runMs, nowMs) }),
    ...(fixing === null || fixMs === null ? {} : { fixing: { ...fixing, deadlineMs: fixMs } }),
  };
};

const bounded = (run: Run, deadlineMs: number, nowMs: number): Run => ({
  ...run,
  deadlineMs,
  ...(run.nextLookMs === undefined ? {} : { nextLookMs: Math.min(run.nextLookMs, nowMs) }),
});

const soonest = ({ quiet, replyDebounce, reportWait, running, fixing }: GuardState): number =>
  Math.min(
    ...[quiet?.untilMs, replyDebounce?.untilMs, reportWait?.untilMs, running?.deadlineMs, fixing?.deadlineMs].filter(
      (each) => each !== undefined,
    ),
  );
