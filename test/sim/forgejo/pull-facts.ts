import type { SimPull, SimReview, SimUser, World } from './world.ts';

/** Only a title prefix makes a draft, in any case (forges.md 4.2). */
export const isDraft = (world: World, pull: SimPull): boolean =>
  world.wipPrefixes.some((prefix) => pull.title.toLowerCase().startsWith(prefix.toLowerCase()));

const counting = new Set(['APPROVED', 'REQUEST_CHANGES', 'REQUEST_REVIEW']);

/** Each user's newest approval, rejection or request; comments do not count (Forgejo models/issues/review.go). */
export const latestReviews = (pull: SimPull): ReadonlyMap<number, SimReview> => {
  const latest = new Map<number, SimReview>();
  for (const review of pull.reviews) if (counting.has(review.state)) latest.set(review.author.id, review);
  return latest;
};

/** Also includes users who reviewed without a request (LoadRequestedReviewers in models/issues/pull.go of both forges). */
export const requestedReviewers = ({ traits }: World, pull: SimPull): readonly SimUser[] => {
  const listed = pull.reviews.filter(
    ({ state, dismissed }) => !dismissed && (counting.has(state) || (traits.listsCommenters && state === 'COMMENT')),
  );
  return [...new Map(listed.map(({ author }) => [author.id, author])).values()];
};

export const isPending = (pull: SimPull, reviewId: number): boolean =>
  pull.reviews.some((review) => review.id === reviewId && review.state === 'PENDING');
