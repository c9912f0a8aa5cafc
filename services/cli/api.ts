/**
 * Fixpoint for programs: what `fixpoint review` does, and a review of one change request that is posted.
 * Expected failures are thrown as errors with a stable `code` (table in shared/README.md).
 */
import type { PostRequest } from './api-post.ts';
import { chooseReviewer, type ReviewerWish } from './review-choice.ts';
import { reviewCodebase } from './review-codebase.ts';
import { reviewLocal } from './review-local.ts';
import type { ReviewOutput } from './review-output.ts';
import type { PostedReview } from './review-posted.ts';
import type { LocalReviewer } from './review-staff.ts';

type Watching = {
  /** Contract: must not throw. Told in one line what goes on. */
  readonly onProgress?: ((step: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A range of commits of a repository on this machine. */
export type ChangeReviewRequest = ReviewerWish &
  Watching & {
    readonly mode?: 'change' | undefined;
    /** The repository; the working directory by default. Read through git, never written to. */
    readonly workspacePath?: string | undefined;
    /** What the change is to be merged into; the review starts at the merge base. */
    readonly base: string;
    /** `HEAD` by default. */
    readonly head?: string | undefined;
  };

/** Everything in a folder, with or without git. */
export type CodebaseReviewRequest = ReviewerWish &
  Watching & { readonly mode: 'codebase'; readonly workspacePath: string };

export type ReviewRequest = ChangeReviewRequest | CodebaseReviewRequest;

const NEVER = new AbortController().signal;

/**
 * One review on this machine: no server, no forge, nothing written. With a model it calls the provider and nobody else.
 *
 * A budget that ran out, an unreadable answer or a provider that fails is a result with the verdict `inconclusive`,
 * which holds what the built-in rules found.
 *
 * @throws `USAGE` for a missing folder or key, a model without a price or a number out of bounds; `REVISION_UNKNOWN`;
 * `GIT_REFUSED` where there is no repository; `LOCAL_REVIEW_FAILED` when the provider refuses key or model; the
 * signal's reason when it aborts.
 */
export const review = async (request: ReviewRequest): Promise<ReviewOutput> => {
  const { onProgress = () => {} } = request;
  const { reviewer, notice } = chooseReviewer(request, { env: process.env, onProgress });
  if (notice !== null) onProgress(notice);
  return reviewWith(reviewer, request);
};

/** As `review`, with the choice made. */
export const reviewWith = async (reviewer: LocalReviewer, request: ReviewRequest): Promise<ReviewOutput> => {
  const { onProgress = () => {}, signal = NEVER } = request;
  if (request.mode === 'codebase') {
    return reviewCodebase({ directory: request.workspacePath, reviewer, onProgress, signal });
  }
  const { workspacePath = '.', base, head = 'HEAD' } = request;
  const searchPath = process.env['PATH'] ?? '';
  return reviewLocal({ directory: workspacePath, base, head, reviewer, searchPath, onProgress, signal });
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
