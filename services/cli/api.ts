/**
 * Fixpoint for programs: what `fixpoint review` does, and a review of one change request that is posted.
 * Expected failures are thrown as errors with a stable `code` (table in shared/README.md).
 */
import type { PostRequest } from './api-post.ts';
import { chooseReviewer } from './review/choose-runner.ts';
import type { ReviewOutput } from './review/review-output.ts';
import type { PostedReview } from './review/review-posted.ts';
import { type LocalReviewRequest, reviewWith } from './review/review-request.ts';

export type { LocalReviewRequest as ReviewRequest, PostedReview, PostRequest, ReviewOutput };

/**
 * One review on this machine: no server, no forge, nothing written. With a model it calls the provider and nobody else.
 *
 * A budget that ran out, an unreadable answer or a provider that fails is a result with the verdict `inconclusive`,
 * which holds what the built-in rules found.
 *
 * @throws `USAGE` for a missing folder or key, a wrong configuration, a model without a price or a number out of bounds;
 * `REVISION_UNKNOWN`; `GIT_REFUSED` where there is no repository; `CAGE_MISSING` where the configuration requires one;
 * `LOCAL_REVIEW_FAILED` when the provider refuses key or model; the signal's reason when it aborts.
 */
export const review = async (request: LocalReviewRequest): Promise<ReviewOutput> => {
  const { onProgress = () => {}, onNotice = onProgress } = request;
  const { reviewer, notice } = chooseReviewer(request, { env: process.env, onProgress });
  if (notice !== null) onNotice(notice);
  return reviewWith(reviewer, request);
};

/**
 * A review of one change request through the pipeline of an installation, with workers in this process for as long as
 * it takes: guard's state, the caps and the bot's memory on the forge hold as for a request by a commander.
 *
 * Resolves with what stands on the forge: at once when the present head has its verdict already.
 *
 * @throws `USAGE` for a wrong reference or configuration, with `dry_run`, for a change request that is not open or not
 * served; `REVIEW_NOT_POSTED` when guard declined, with its reason, or the time is over; `REDIS_UNREACHABLE`,
 * `REDIS_UNSAFE`; the signal's reason when it aborts.
 */
export const reviewAndPost = async (request: PostRequest): Promise<PostedReview> => {
  // Only here: a local review needs none of the services.
  const { reviewChangeRequest } = await import('./api-post.ts');
  return reviewChangeRequest(request);
};
