/** The decision that `decide` builds up. Each part of `decide` takes a decision and returns the next one. */
import type { InboxEvent } from '../model/events.ts';
import type { Policy } from '../model/policy.ts';
import type { Facts } from '../model/facts.ts';
import { compareInputs, findInput, type Input, mayBeSameInput } from '../model/input.ts';
import type { Run } from '../model/run.ts';
import type { Fix } from '../model/fixes.ts';
import type { Effect } from '../model/effect.ts';
import type { GuardState } from '../model/state.ts';
import type { RunId } from '../../vocabulary/ids.ts';

/** One decision with its reason: it becomes one log line and one record for `fixpoint why`. */
export type Step = {
  readonly effect: Effect['kind'] | 'nothing' | 'want' | 'end_run' | 'end_fix';
  readonly reason: string;
};

export type DecideInput = {
  readonly state: GuardState;
  readonly events: readonly InboxEvent[];
  readonly facts: Facts;
  readonly policy: Policy;
  readonly nowMs: number;
  /** Time at which this guard process started. If absent or 0, it started long ago. */
  readonly startedAtMs?: number;
  /** An id that is not used yet. A decision starts at most one run or notice, which gets this id. */
  readonly freshRunId: RunId;
};

export type Decision = {
  readonly state: GuardState;
  readonly steps: readonly Step[];
  /** True if CI alone can prevent the pass of a result. Without this the decision does not depend on `facts.ci`. */
  readonly asksCi?: true;
};

export const note = (decision: Decision, effect: Step['effect'], reason: string): Decision => ({
  ...decision,
  steps: [...decision.steps, { effect, reason }],
});

export const emit = (decision: Decision, effect: Effect, reason: string): Decision =>
  note({ ...decision, state: { ...decision.state, outbox: [...decision.state.outbox, effect] } }, effect.kind, reason);

export const change = (decision: Decision, patch: Partial<GuardState>): Decision => ({
  ...decision,
  state: { ...decision.state, ...patch },
});

/** Ends the run. An effect releases the slot, so a crash can release it twice but cannot leak it. */
export const endRun = (decision: Decision, reason: string): Decision => {
  const ended = note(change(decision, { running: null }), 'end_run', reason);
  return ended.state.slotHeld ? emit(change(ended, { slotHeld: false }), { kind: 'release_slot' }, reason) : ended;
};

export const enterPhase = <Of extends Run>(
  run: Of,
  phase: Run['phase'],
  planId: string | null,
  deadlineMs: number,
): Of => ({ ...run, waits: undefined, phase, planId, deadlineMs });

type Settled = Pick<GuardState, 'reviewed' | 'closed'>;

export const isReviewed = ({ reviewed }: Settled, input: Input): boolean => findInput(reviewed, input) !== undefined;

export const isInputSettled = (state: Settled, input: Input): boolean =>
  isReviewed(state, input) || state.closed.some((known) => mayBeSameInput(known, input));

/** True if somebody requested a review of this input and the review has not started. */
export const isAsked = ({ asked }: GuardState, input: Input): boolean => asked !== null && mayBeSameInput(asked, input);

/** True if the input may be one that was already reviewed, which only git can tell. */
export const isDoubtful = (state: Settled, input: Input): boolean =>
  !isInputSettled(state, input) && state.reviewed.some((known) => compareInputs(known, input) === 'unknown');

/** True if the status of the commit is about another input. */
export const isOtherInput = (state: Settled, input: Input): boolean =>
  !isInputSettled(state, input) && [...state.reviewed, ...state.closed].some(({ head }) => head === input.head);

/** Schedules the event that ends the current phase, and another one if its deadline moves. Late and early events have no effect. */
export const scheduleOverdue = (decision: Decision, run: Run, nowMs: number, again = ''): Decision => {
  const event: InboxEvent = {
    source: 'run',
    kind: 'overdue',
    id: `overdue-${run.runId}-${run.phase}${again}`,
    atMs: nowMs,
    runId: run.runId,
    code: 'RUN_OVERDUE',
  };
  const delayMs = Math.max(0, run.deadlineMs - nowMs) + 50;
  return emit(decision, { kind: 'schedule', event, delayMs }, 'a run that never reports must end');
};

export const scheduleFixOverdue = (decision: Decision, fix: Fix, nowMs: number): Decision => {
  const event: InboxEvent = {
    source: 'fix',
    kind: 'overdue',
    id: `overdue-${fix.runId}-${fix.phase}`,
    atMs: nowMs,
    runId: fix.runId,
    code: 'FIX_OVERDUE',
    pushed: null,
  };
  const delayMs = Math.max(0, fix.deadlineMs - nowMs) + 50;
  return emit(decision, { kind: 'schedule', event, delayMs }, 'a fix that never reports must end');
};

/**
 * True for an event of `scheduleOverdue` or `scheduleFixOverdue` whose run or fix has ended, or has a later deadline and
 * with it another timer. Such an event would change nothing. Without a state, nothing is known.
 */
export const isTimerOver = (state: GuardState | null, event: InboxEvent, nowMs: number): boolean => {
  if (state === null || (event.source !== 'run' && event.source !== 'fix') || event.kind !== 'overdue') return false;
  const waiting = event.source === 'run' ? state.running : state.fixing;
  return waiting?.runId !== event.runId || nowMs < waiting.deadlineMs;
};
