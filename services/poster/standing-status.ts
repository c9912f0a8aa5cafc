import type { CommitStatus } from '../../shared/forge/port-statuses.ts';

/** The status of the bot where the gate looks; null when there is none. */
export const standingOf = (statuses: readonly CommitStatus[], statusContext: string): CommitStatus | null =>
  statuses.find(({ context, elsewhere }) => context === statusContext && elsewhere !== true) ?? null;

/** Whether any status of the bot at the commit is pending, also where the gate does not look. */
export const hasWaiting = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context, state }) => context === statusContext && state === 'pending');

/** Whether the bot has any status at the commit, also where the gate does not look. */
export const hasSpoken = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context }) => context === statusContext);
