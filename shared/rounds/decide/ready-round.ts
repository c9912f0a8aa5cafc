/**
 * A round that is ready to be posted, and whether it waits for the CI of its head first. It does only when CI alone
 * stands between it and a pass: whoever has something to fix hears of it at once.
 */
import { change, type DecideInput, type Decision, enterPhase, note, order, scheduleOverdue } from './decision.ts';
import type { InboxEvent } from '../model/events.ts';
import type { Run } from '../model/state.ts';

export const readyRound = (board: Decision, run: Run, input: DecideInput): Decision =>
  mustWait(input) ? awaitCi(board, run, input) : postRound(board, run, input);

export const mustWait = ({ facts: { ci }, policy }: DecideInput): boolean =>
  policy.gate.waitForCi && (ci?.kind === 'pending' || ci?.kind === 'awaited');

/** CI that nobody waits for counts only where it has failed already. */
const ciThatCounts = ({ facts: { ci }, policy }: DecideInput): DecideInput['facts']['ci'] =>
  (ci?.kind === 'pending' || ci?.kind === 'awaited') && !policy.gate.waitForCi ? null : ci;

export const postRound = (board: Decision, run: Run, input: DecideInput): Decision => {
  const { nowMs, policy } = input;
  const posting = enterPhase(run, 'posting', `${run.runId}-round`, nowMs + policy.postTimeoutMs);
  const moved = change(board, { running: posting });
  const why =
    run.carried === undefined
      ? 'the draft of the current run is complete'
      : `it is the same change as ${run.carried.reviewedHead.slice(0, 10)}, whose verdict is carried`;
  return scheduleOverdue(
    order(moved, { kind: 'post_round', run: posting, ci: ciThatCounts(input) }, why),
    posting,
    nowMs,
  );
};

/** Others of the project get the slot meanwhile: nothing is at work here. */
const awaitCi = (board: Decision, run: Run, input: DecideInput): Decision => {
  const { nowMs } = input;
  const { ci } = input.facts;
  const waiting = enterPhase(run, 'waiting_ci', null, nowMs + waitMs(input));
  const why = ci?.kind === 'awaited' ? 'the CI of this head may not have begun' : 'the CI of this head has not ended';
  const moved = note(change(board, { running: waiting }), 'nothing', why);
  const free = moved.state.slotHeld
    ? order(change(moved, { slotHeld: false }), { kind: 'release_slot' }, 'nothing is at work while CI is')
    : moved;
  return scheduleLook(scheduleOverdue(free, waiting, nowMs), waiting, input);
};

/** The deadline is for CI that has begun: it may begin last thing. */
const waitMs = ({ facts: { ci }, nowMs, policy }: DecideInput): number =>
  policy.gate.ciDeadlineMs + (ci?.kind === 'awaited' ? Math.max(0, ci.untilMs - nowMs) : 0);

const MIN_LOOK_MS = 1_000;
const MAX_LOOK_MS = 30_000;
/** As many looks within the deadline, where it is short. */
const LOOKS = 20;

/**
 * No forge tells of every job and status: a status names a commit, not a change request, and an event may be lost. One
 * look at a time is scheduled, however many events come.
 */
export const scheduleLook = (board: Decision, run: Run, { facts: { ci }, nowMs, policy }: DecideInput): Decision => {
  const usualMs = Math.min(MAX_LOOK_MS, Math.max(MIN_LOOK_MS, Math.ceil(policy.gate.ciDeadlineMs / LOOKS)));
  const delayMs = ci?.kind === 'awaited' ? Math.min(usualMs, Math.max(0, ci.untilMs - nowMs)) : usualMs;
  const nextLookMs = nowMs + delayMs;
  const event: InboxEvent = { source: 'wake', id: `ci-${run.runId}-${nextLookMs}`, atMs: nowMs };
  const looking = change(board, { running: { ...run, nextLookMs } });
  return order(looking, { kind: 'schedule', event, delayMs: delayMs + 50 }, 'CI is looked at again');
};
