import { headStands, type Posting } from './post.ts';
import { writeStatus } from './write-status.ts';

/** Names what a run waits for, in the place of its pending status; a verdict, and another head, keep theirs. */
export const tellOutage = async (posting: Posting): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  if (deps.dryRun || !(await headStands(posting))) return;
  const statuses = await forge.read.fetchStatuses(plan.changeRequest.projectId, plan.head, signal);
  const own = statuses.find(({ context }) => context === deps.statusContext);
  if (own === undefined || own.state === 'pending') await writeStatus(posting);
};
