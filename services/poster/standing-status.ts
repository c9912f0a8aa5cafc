import type { CommitStatus } from '../../shared/forge/port-statuses.ts';

/** The bot's status at the place that the gate reads; null when there is none. */
export const standingOf = (statuses: readonly CommitStatus[], statusContext: string): CommitStatus | null =>
  statuses.find(({ context, elsewhere }) => context === statusContext && elsewhere !== true) ?? null;

/** Whether any status of the bot at the commit is pending, even at a place that the gate does not read. */
export const hasWaiting = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context, state }) => context === statusContext && state === 'pending');

/** Whether the bot has any status at the commit, even at a place that the gate does not read. */
export const hasSpoken = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context }) => context === statusContext);
