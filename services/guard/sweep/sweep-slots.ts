/** Repairs slots after crashes. Also finds overdue runs of closed change requests, which lists of open change requests do not show. */
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import type { SweepDeps } from './sweep-deps.ts';

type OfProject = {
  readonly forge: string;
  readonly projectId: number;
  readonly path: string;
  readonly signal: AbortSignal;
};

export const repairSlots = async (deps: SweepDeps, { forge, projectId, path, signal }: OfProject): Promise<void> => {
  for (const number of await deps.slots.running(forge, projectId)) {
    await repairHolder(deps, { forge, projectId, number }, signal);
  }
  const next = await deps.slots.nextWaiting(forge, projectId, deps.runningIn(forge, path));
  if (next !== null) await deps.wake(next);
};

const repairHolder = async (deps: SweepDeps, of: ChangeRequest, signal: AbortSignal): Promise<void> => {
  await deps.underLease(of, signal, async () => {
    const state = await deps.states.load(of);
    if (state?.slotHeld === true) {
      // Without a run the next decision begins one or gives the slot back, also if guard ended just after it got the slot.
      if (state.running === null || deps.nowMs() >= state.running.deadlineMs) await deps.wake(of);
      return;
    }
    // `release` took `next` off the waiting list, so `next` must be woken.
    const next = await deps.slots.release(of);
    if (next !== null) await deps.wake(next);
  });
};
