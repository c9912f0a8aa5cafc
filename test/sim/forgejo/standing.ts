/** Which of a user's reviews count, and how a new review affects earlier ones. */
import { latestReviews } from './pull-facts.ts';
import type { SimPull, SimReview, SimUser, World } from './world.ts';

export const isDecision = ({ state }: Pick<SimReview, 'state'>): boolean =>
  state === 'APPROVED' || state === 'REQUEST_CHANGES';

/**
 * Effect of a new review on the user's earlier ones. Submitted directly, it dismisses their decisions and ends a review
 * request; submitted from a pending review, as with inline comments, it dismisses none (models/issues/review.go
 * CreateReview and SubmitReview of both forges). Only one decision or request is official at a time.
 */
export const replaceEarlier = (world: World, pull: SimPull, review: SimReview, wasPending: boolean): void => {
  const earlier = pull.reviews.filter((other) => other.author.id === review.author.id && other !== review);
  if (isDecision(review)) for (const other of earlier) other.official = false;
  if (isDecision(review) && !wasPending) for (const other of earlier.filter(isDecision)) other.dismissed = true;
  if (wasPending && !isDecision(review) && !world.traits.draftEndsRequest) return;
  pull.reviews = pull.reviews.filter((other) => !earlier.includes(other) || other.state !== 'REQUEST_REVIEW');
};

/**
 * After an official review was removed, the newest decision or request becomes official again, unless it was dismissed
 * (models/issues/review.go restoreLatestOfficialReview of both forges).
 */
export const restoreOfficial = (pull: SimPull, author: SimUser): void => {
  const left = latestReviews(pull).get(author.id);
  if (left !== undefined) left.official = true;
};
