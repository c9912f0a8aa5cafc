import type { CommitStatus } from '../../shared/forge/port-statuses.ts';

/** Returns the bot's status at the place that the merge check reads; null if it has none there. */
export const standingOf = (statuses: readonly CommitStatus[], statusContext: string): CommitStatus | null =>
  statuses.find(({ context, elsewhere }) => context === statusContext && elsewhere !== true) ?? null;

/** Whether any of the bot's statuses on the commit is pending, even at a place that the merge check does not read. */
export const hasWaiting = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context, state }) => context === statusContext && state === 'pending');

/** Whether the bot has any status on the commit, even at a place that the merge check does not read. */
export const hasSpoken = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context }) => context === statusContext);
