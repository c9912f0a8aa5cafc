import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { GuardDeps } from './deps.ts';

const OFFER = 'slot-';

/** Wakes guard for the change request `next`, so that its run takes the free slot. */
export const wake = async (
  { inbox, nowMs }: Pick<GuardDeps, 'inbox' | 'nowMs'>,
  next: ChangeRequest,
): Promise<void> => {
  const atMs = nowMs();
  await inbox.notify(next, { source: 'wake', id: `${OFFER}${atMs}`, atMs });
};

/** Whether a free slot was offered. */
export const isOffer = ({ source, id }: InboxEvent): boolean => source === 'wake' && id.startsWith(OFFER);

type Releasing = Pick<GuardDeps, 'inbox' | 'nowMs' | 'slots' | 'runningPerProject' | 'checkpoint'>;

/** Frees the slot, or the place among those that wait, and wakes those that the free slots are offered to. */
export const releaseSlot = async (deps: Releasing, of: ChangeRequest): Promise<void> => {
  const offered = await deps.slots.release(of, { limit: deps.runningPerProject, atMs: deps.nowMs() });
  deps.checkpoint('after-release');
  for (const next of offered) await wake(deps, next);
};
