import { isDue } from '../../../shared/rounds/decide/decide-outage.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type { SweepLook, SeenChangeRequest } from '../../../shared/store/sweep/sweep-memory.ts';

export type LookInput = {
  readonly seen: SeenChangeRequest;
  readonly state: GuardState | null;
  readonly waiting: number;
  /** When this pass over all projects began, epoch ms. */
  readonly passStartedAtMs: number;
  readonly nowMs: number;
  /** The same as `startedAtMs` of `DecideInput`. */
  readonly startedAtMs?: number;
};

/** Forges round times to the second, and clocks differ: a second change right after a check may have the same time. */
const SETTLING_MS = 5_000;

/** Gives the delayed event that ends a quiet time a chance to arrive first: the sweep only replaces lost events. */
const GRACE_MS = 1_000;

/** A change request is checked again after this time even if nothing changed, because Redis may have lost an event. */
const LOOK_AGAIN_MS = 3_600_000;

/** The longest time before a CI that now passes is noticed if the forge sends no event. */
const LOOK_FOR_CI_MS = 600_000;

export const reasonToLook = (input: LookInput): string | null => {
  const { seen, state, waiting, passStartedAtMs, nowMs } = input;
  if (seen.look !== null && seen.look.atMs >= passStartedAtMs) return null;
  if (state === null) return 'guard has no state for the change request';
  if (waiting > 0) return 'events wait and their wake-up was lost';
  if (state.outbox.length > 0) return 'commands were not carried out';
  if (state.running !== null && nowMs >= state.running.deadlineMs) return 'a run is overdue';
  const lost = lostTimer(state, nowMs);
  if (lost !== null) return lost;
  if (isRetryDue(input, state)) return 'an outage may have ended';
  if (seen.look === null || hasChanged(seen, seen.look)) return 'the change request has changed since the last look';
  if (state.heldByCi === seen.head && nowMs >= seen.look.atMs + LOOK_FOR_CI_MS) return 'the CI may have been repaired';
  return reasonToLookAgain(state, { ...input, look: seen.look });
};

/** A delayed job that should have come by now. */
const lostTimer = ({ quiet, replyDebounce, reportWait }: GuardState, nowMs: number): string | null => {
  const isOver = (untilMs: number | undefined): boolean => untilMs !== undefined && nowMs >= untilMs + GRACE_MS;
  if (isOver(quiet?.untilMs) || isOver(replyDebounce?.untilMs)) return 'a quiet time has ended';
  return isOver(reportWait?.nextLookMs) ? 'a look at a CI job is overdue' : null;
};

type Again = LookInput & { readonly look: SweepLook };

const reasonToLookAgain = (state: GuardState, { seen, look, nowMs }: Again): string | null => {
  if (!hasLastWord(state, seen)) return nowMs >= look.atMs + LOOK_AGAIN_MS ? 'no verdict for a long time' : null;
  return nowMs >= look.atMs + lookForStatusAfter(look) ? 'the commit status may have been overwritten' : null;
};

const isRetryDue = ({ seen, nowMs, startedAtMs = 0 }: LookInput, { parked }: GuardState): boolean =>
  parked !== null &&
  !parked.again &&
  parked.head === seen.head &&
  parked.target === seen.target &&
  isDue(parked, nowMs, startedAtMs);

/**
 * A slow process may overwrite the status soon after the verdict. Such a late write becomes less likely over time, so
 * the interval grows.
 */
const lookForStatusAfter = ({ atMs, sinceMs }: SweepLook): number => Math.min(LOOK_AGAIN_MS, atMs - sinceMs);

/** True if the last verdict or hand-off is about this head and target branch. Guard itself compares the merge base. */
export const hasLastWord = ({ reviewed, closed }: GuardState, { head, target }: SeenChangeRequest): boolean =>
  [...reviewed, ...closed].some((known) => known.head === head && known.target === target);

/** `mergeBase` is also compared: resetting the target branch sends no event and does not change the date. */
export const hasChanged = (seen: SeenChangeRequest, look: SweepLook): boolean =>
  seen.head !== look.head ||
  seen.target !== look.target ||
  seen.mergeBase !== look.mergeBase ||
  seen.updatedAtMs !== look.updatedAtMs ||
  seen.updatedAtMs > look.atMs - SETTLING_MS;
