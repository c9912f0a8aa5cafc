/** Plans the review of a local range with a model and calls none. */
import type { Packet } from '../../reviewer/packet/packet.ts';
import { buildPacket } from '../../reviewer/packet/build-packet.ts';
import { readRepositorySettings } from '../../reviewer/rules/read-repository-settings.ts';
import { tightenLimits } from '../../reviewer/rules/tighten.ts';
import type { LocalPlan } from './plan-text.ts';
import { LOCAL_LIMITS, type LocalReview, onRange, type Range } from './review-local.ts';
import type { LocalModel } from './review-model.ts';
import { planLocally } from './review-plan.ts';

/** A plan, or why there is nothing to review. */
export type PlanOrNothing = LocalPlan | { readonly nothing: string };

/** @throws the errors of `onRange` */
export const planLocal = async (review: Omit<LocalReview, 'reviewer'>, model: LocalModel): Promise<PlanOrNothing> =>
  onRange<PlanOrNothing>(
    { ...review, reviewer: { kind: 'agent', model } },
    {
      use: async (range) => planLocally(await packetOf(range, model), model),
      nothing: (_of, why) => ({ nothing: why }),
    },
  );

const packetOf = async (
  { review: { signal, paths }, revisions, head, targetHead }: Range,
  { redact }: LocalModel,
): Promise<Packet> => {
  const asked = await readRepositorySettings(revisions, { target: targetHead, redact }, signal);
  const { limits } = tightenLimits({ ...LOCAL_LIMITS, includePaths: paths ?? [] }, asked.settings);
  return buildPacket({ head, targetHead, openThreads: [], previous: null }, { revisions, limits, signal });
};
