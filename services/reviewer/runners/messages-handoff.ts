import { type ReviewPacket, reviewPacketPath } from '../../../shared/protocol/review-packet.ts';
import { type Handoff, handoffOf, type StandingThread } from '../../../shared/protocol/round/round-handoff.ts';
import type { Correspondence } from '../../../shared/protocol/round/round-messages.ts';
import type { ModelReview } from '../run/model-review.ts';

/** Returns null if no person has been called so far. Titles are redacted as for a model. */
export const handoffOfReview = (
  { packet, task, redact }: ModelReview,
  words: Correspondence,
  review: ReviewPacket,
): Handoff | null => {
  const { handoff = null } = task;
  if (handoff === null) return null;
  const { webUrl, ...handedOver } = handoff;
  const { from, pr, topic } = words;
  const beside = reviewPacketPath(review.packet_id);
  const settled = packet.closedThreads.filter((thread) => thread.settled !== undefined);
  const standing: readonly StandingThread[] = [
    ...packet.openThreads.map((thread) => ({ ...thread, settled: false })),
    ...settled.map((thread) => ({ ...thread, settled: true })),
  ];
  return handoffOf({ handedOver, from, pr, topic, webUrl, beside, standing }, (text) => redact(text).text);
};
