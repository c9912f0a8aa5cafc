import { hasForgeCode } from '../../shared/forge/errors.ts';
import type { CommitStatus } from '../../shared/forge/port-statuses.ts';
import type { Posting } from './deps.ts';

/** Returns the bot's status at the place that the merge check reads; null if it has none there. */
export const standingOf = (statuses: readonly CommitStatus[], statusContext: string): CommitStatus | null =>
  statuses.find(({ context, elsewhere }) => context === statusContext && elsewhere !== true) ?? null;

/** Whether any of the bot's statuses on the commit is pending, even at a place that the merge check does not read. */
export const hasWaiting = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context, state }) => context === statusContext && state === 'pending');

/** Whether the bot has any status on the commit, even at a place that the merge check does not read. */
export const hasSpoken = (statuses: readonly CommitStatus[], statusContext: string): boolean =>
  statuses.some(({ context }) => context === statusContext);

type At = Pick<Posting, 'forge' | 'plan' | 'signal'>;

/** The statuses at the head of the plan. An account that may not read statuses could not write one either, so it has none. */
export const fetchStatuses = async ({ forge, plan, signal }: At): Promise<readonly CommitStatus[]> => {
  try {
    return await forge.read.fetchStatuses(plan.changeRequest, plan.head, signal);
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_NOT_FOUND')) return [];
    throw error;
  }
};

export const fetchOwnStatus = async (at: At, statusContext: string): Promise<CommitStatus | null> =>
  standingOf(await fetchStatuses(at), statusContext);
