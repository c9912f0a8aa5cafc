import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { GuardDeps } from './deps.ts';

/** Wakes guard for `next`, so that it takes the free slot. */
export const wake = async (
  { inbox, nowMs }: Pick<GuardDeps, 'inbox' | 'nowMs'>,
  next: ChangeRequest,
): Promise<void> => {
  const atMs = nowMs();
  await inbox.notify(next, { source: 'wake', id: `slot-${atMs}`, atMs });
};
