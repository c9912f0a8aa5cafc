import { hasForgeCode } from '../../shared/forge/errors.ts';
import { headStands, type Posting } from './post.ts';
import { writeStatus } from './write-status.ts';

/**
 * Says within a moment that the trigger was seen; keeps quiet once a run has said more. The status comes first: a
 * reaction that the forge does not take must not cost it.
 */
export const acknowledge = async (posting: Posting): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  if (deps.dryRun || !(await headStands(posting))) return;
  const { changeRequest, head, reactions } = plan;
  const statuses = await forge.read.fetchStatuses(changeRequest.projectId, head, signal);
  if (!statuses.some(({ context }) => context === deps.statusContext)) await writeStatus(posting);
  for (const commentId of reactions) await react(posting, commentId);
};

const react = async ({ forge, plan, signal }: Posting, commentId: string): Promise<void> => {
  try {
    await forge.write.react(plan.changeRequest, commentId, 'eyes', signal);
  } catch (error) {
    // Deleted since it was read: the others still get theirs.
    if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
  }
};
