import type { Raise } from '../../../shared/queue/raise.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';

/** Contract: call this only after the plan was posted, so that the notified people find the comment. */
export const raiseHandoffs = async (
  { raise, nowMs }: { readonly raise?: Raise; readonly nowMs: () => number },
  { changeRequest, notices }: Pick<PostPlan, 'changeRequest' | 'notices'>,
): Promise<void> => {
  for (const { marker } of notices) {
    if (marker.kind !== 'handoff') continue;
    const { reason, episode } = marker;
    await raise?.({ kind: 'handoff', atMs: nowMs(), changeRequest, reason, episode });
  }
};
