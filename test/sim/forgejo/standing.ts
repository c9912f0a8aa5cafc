/** Which reviews of one person count, and what a new one does to the others. */
import { latestReviews } from './pull-facts.ts';
import type { SimPull, SimReview, SimUser, World } from './world.ts';

export const isDecision = ({ state }: Pick<SimReview, 'state'>): boolean =>
  state === 'APPROVED' || state === 'REQUEST_CHANGES';

/**
 * What a new review does to the earlier ones of the same person. Made at once it dismisses their decisions and ends a
 * request for review; made of a pending one, as any with inline comments, it dismisses none of them (models/issues/
 * review.go CreateReview and SubmitReview of both forges). Only one decision or request is ever official.
 */
export const replaceEarlier = (world: World, pull: SimPull, review: SimReview, wasPending: boolean): void => {
  const earlier = pull.reviews.filter((other) => other.author.id === review.author.id && other !== review);
  if (isDecision(review)) for (const other of earlier) other.official = false;
  if (isDecision(review) && !wasPending) for (const other of earlier.filter(isDecision)) other.dismissed = true;
  if (wasPending && !isDecision(review) && !world.traits.draftEndsRequest) return;
  pull.reviews = pull.reviews.filter((other) => !earlier.includes(other) || other.state !== 'REQUEST_REVIEW');
};

/**
 * After one that was official is gone the newest decision or request counts again, even a replaced one that nobody
 * dismissed (models/issues/review.go restoreLatestOfficialReview of both forges).
 */
export const restoreOfficial = (pull: SimPull, author: SimUser): void => {
  const left = latestReviews(pull).get(author.id);
  if (left !== undefined) left.official = true;
};
