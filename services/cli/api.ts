/**
 * Fixpoint as a library: a local review like `fixpoint review`, and a posted review of one change request.
 * Expected failures are thrown as errors with a stable `code` (table in shared/README.md).
 */
import type { PostRequest } from './api-post.ts';
import { chooseReviewer } from './review/choose-runner.ts';
import type { ReviewOutput } from './review/review-output.ts';
import type { PostedReview } from './review/review-posted.ts';
import { type LocalReviewRequest, reviewWith } from './review/review-request.ts';

export type { LocalReviewRequest as ReviewRequest, PostedReview, PostRequest, ReviewOutput };

/**
 * Reviews on this machine: no server, no forge, no writes. If a model is used, only its provider is called.
 *
 * When a budget runs out, the answer is unreadable or the provider fails, the result is `inconclusive` and holds the
 * findings of the built-in rules.
 *
 * @throws `USAGE` for a missing folder or key, a wrong configuration, a model without a price or a number out of bounds;
 * `REVISION_UNKNOWN`; `GIT_REFUSED` without a repository; `CAGE_MISSING` when the configuration requires a cage;
 * `LOCAL_REVIEW_FAILED` when the provider rejects the key or model; the signal's reason on an abort.
 */
export const review = async (request: LocalReviewRequest): Promise<ReviewOutput> => {
  const { onProgress = () => {}, onNotice = onProgress } = request;
  const { reviewer, notice } = chooseReviewer(request, { env: process.env, onProgress });
  if (notice !== null) onNotice(notice);
  return reviewWith(reviewer, request);
};

/**
 * Reviews one change request through an installation's pipeline, with temporary workers in this process. Guard's state,
 * the caps and the bot's memory on the forge apply as for a commander's request.
 *
 * Resolves with what is posted on the forge. Resolves at once if the current head already has its verdict.
 *
 * @throws `USAGE` for a wrong reference or configuration, with `dry_run`, and for a change request that is not open or not
 * served; `REVIEW_NOT_POSTED` with the reason when guard declined, or on a timeout; `REDIS_UNREACHABLE`, `REDIS_UNSAFE`;
 * the signal's reason on an abort.
 */
export const reviewAndPost = async (request: PostRequest): Promise<PostedReview> => {
  // The import is lazy, because a local review needs no services.
  const { reviewChangeRequest } = await import('./api-post.ts');
  return reviewChangeRequest(request);
};
