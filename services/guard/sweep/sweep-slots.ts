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
  const limit = deps.runningIn(forge, path);
  for (const number of await deps.slots.running(forge, projectId)) {
    await repairHolder(deps, { of: { forge, projectId, number }, limit }, signal);
  }
  const offered = await deps.slots.offerFree({ forge, projectId }, { limit, atMs: deps.nowMs() });
  for (const next of offered) await deps.wake(next);
};

type Holder = { readonly of: ChangeRequest; readonly limit: number };

const repairHolder = async (deps: SweepDeps, { of, limit }: Holder, signal: AbortSignal): Promise<void> => {
  await deps.underLease(of, signal, async () => {
    const state = await deps.states.load(of);
    if (state?.slotHeld === true) {
      // Without a run the next decision begins one or gives the slot back, also if guard ended just after it got the slot.
      if (state.running === null || deps.nowMs() >= state.running.deadlineMs) await deps.wake(of);
      return;
    }
    for (const next of await deps.slots.release(of, { limit, atMs: deps.nowMs() })) await deps.wake(next);
  });
};
