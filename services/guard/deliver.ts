import { meaningOf } from '../../shared/queue/inbox.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { GuardDeps } from './deps.ts';

type Delivering = Pick<GuardDeps, 'inbox' | 'nowMs'>;

export const deliver = async (
  { inbox }: Pick<Delivering, 'inbox'>,
  of: ChangeRequest,
  event: InboxEvent,
  delayMs?: number,
): Promise<void> => {
  const delivery = { changeRequest: of, event, meaning: meaningOf(of, event.id), deliveryId: null };
  await inbox.deliver(delayMs === undefined ? delivery : { ...delivery, delayMs });
};

/** The slot is free for `next`: it looks again and takes it. */
export const wake = async (deps: Delivering, next: ChangeRequest): Promise<void> => {
  const nowMs = deps.nowMs();
  await deliver(deps, next, { source: 'wake', id: `slot-${nowMs}`, atMs: nowMs });
};
