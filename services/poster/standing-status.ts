import type { CommitStatus } from '../../shared/forge/port-statuses.ts';

/** The bot's own status where the gate looks; null for none. */
export const standingOf = (statuses: readonly CommitStatus[], statusContext: string): CommitStatus | null =>
  statuses.find(({ context, elsewhere }) => context === statusContext && elsewhere !== true) ?? null;

/** Whether anything of the bot's at the commit waits, also where the gate does not look. */
export const hasWaiting = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context, state }) => context === statusContext && state === 'pending');

/** Whether the bot has said anything about the commit, also where the gate does not look (any more). */
export const hasSpoken = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context }) => context === statusContext);
