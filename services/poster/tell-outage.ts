import type { Posting } from './post.ts';
import { fetchStanding } from './standing.ts';
import { writeStatus } from './write-status.ts';

/** Names what a run waits for, in the place of its pending status; a verdict, and another input, keep theirs. */
export const tellOutage = async (posting: Posting): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  const facts = deps.dryRun ? null : await fetchStanding(posting);
  if (facts === null) return;
  const statuses = await forge.read.fetchStatuses(plan.changeRequest.projectId, plan.head, signal);
  const own = statuses.find(({ context }) => context === deps.statusContext);
  if (own === undefined || own.state === 'pending') await writeStatus(posting, facts);
};
