import type { Posting } from './post.ts';
import { fetchStanding } from './standing.ts';
import { writeStatus } from './write-status.ts';

/** Says within a moment that the trigger was seen; keeps quiet once a run has said more. */
export const acknowledge = async (posting: Posting): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  const facts = deps.dryRun ? null : await fetchStanding(posting);
  if (facts === null) return;
  const { changeRequest, head, reactions } = plan;
  for (const commentId of reactions) await forge.write.react(changeRequest, commentId, 'eyes', signal);
  const statuses = await forge.read.fetchStatuses(changeRequest.projectId, head, signal);
  if (!statuses.some(({ context }) => context === deps.statusContext)) await writeStatus(posting, facts);
};
