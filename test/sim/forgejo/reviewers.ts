import { hasAccess } from './access.ts';
import { firePull } from './hook-payloads.ts';
import { latestReviews } from './pull-facts.ts';
import { log, note } from './pulls.ts';
import { unprocessable } from './reply.ts';
import { addReview } from './reviews.ts';
import { restoreOfficial } from './standing.ts';
import type { SimPull, SimReview, SimUser, World } from './world.ts';

const mayAsk = (pull: SimPull, actor: SimUser): boolean =>
  actor.id === pull.author.id || hasAccess(actor, pull.repo, 'write');

/** Missing permission is reported as an invalid request (ErrNotValidReviewRequest in services/issue of both forges). */
const requireAsker = (pull: SimPull, actor: SimUser): void => {
  if (!mayAsk(pull, actor)) throw unprocessable("Doer can't choose reviewer");
};

/**
 * A new request after an ended one is created and fires the hook; a duplicate request does nothing
 * (models/issues/review.go AddReviewRequest of both forges, forges.md 5.4). Null: nothing to do.
 */
export const requestReview = (world: World, pull: SimPull, reviewer: SimUser, actor: SimUser): SimReview | null => {
  requireAsker(pull, actor);
  if (!hasAccess(reviewer, pull.repo, 'read')) throw unprocessable("Reviewer can't read");
  if (reviewer.id === pull.author.id) throw unprocessable("poster of pr can't be reviewer");
  if (latestReviews(pull).get(reviewer.id)?.state === 'REQUEST_REVIEW') return null;
  const earlier = pull.reviews.filter(({ author }) => author.id === reviewer.id);
  const review = addReview(world, pull, {
    author: reviewer,
    state: 'REQUEST_REVIEW',
    body: '',
    // A request has no commit (models/issues/review.go AddReviewRequest).
    commitId: '',
  });
  review.official = hasAccess(reviewer, pull.repo, 'write');
  // An earlier decision does not count until the reviewer decides again or the request is withdrawn.
  if (review.official) for (const other of earlier) other.official = false;
  note({ world, pull }, 'review_request', actor, reviewer.login);
  log({ world, pull }, actor, 'review.request', { reviewer: reviewer.login });
  firePull(world, pull, {
    event: 'pull_request_review_request',
    action: 'review_requested',
    sender: actor,
    requestedReviewer: reviewer,
  });
  return review;
};

export const withdrawRequest = (world: World, pull: SimPull, reviewer: SimUser, actor: SimUser): void => {
  requireAsker(pull, actor);
  const latest = latestReviews(pull).get(reviewer.id);
  if (latest?.state !== 'REQUEST_REVIEW') return;
  pull.reviews = pull.reviews.filter((review) => review !== latest);
  if (hasAccess(reviewer, pull.repo, 'write')) restoreOfficial(pull, reviewer);
  log({ world, pull }, actor, 'review.unrequest', { reviewer: reviewer.login });
  firePull(world, pull, {
    event: 'pull_request_review_request',
    action: 'review_request_removed',
    sender: actor,
    requestedReviewer: reviewer,
  });
};
