import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { GuardDeps } from './deps.ts';

/** Wakes guard for the change request `next`, so that its run takes the free slot. */
export const wake = async (
  { inbox, nowMs }: Pick<GuardDeps, 'inbox' | 'nowMs'>,
  next: ChangeRequest,
): Promise<void> => {
  const atMs = nowMs();
  await inbox.notify(next, { source: 'wake', id: `slot-${atMs}`, atMs });
};
