import { hasForgeCode } from '../errors.ts';
import type { WritesReviews } from '../port.ts';
import type { ForgejoContext } from './api/context.ts';
import { deleteReview, fetchReviewComments, fetchReviews, type Target, targetOf } from './reviews.ts';
import type { ApiReview } from './api/schema.ts';

/** The only unpublished review that an account can have on a change request; null when there is none. */
export const ownDraft = (reviews: readonly ApiReview[], selfId: number): ApiReview | null =>
  reviews.find((review) => review.state === 'PENDING' && review.user?.id === selfId) ?? null;

const deleteIfThere = async (
  context: ForgejoContext,
  target: Target,
  reviewId: number,
  signal: AbortSignal,
): Promise<number> => {
  try {
    await deleteReview(context, target, reviewId, signal);
    return 1;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return 0;
    throw error;
  }
};

/** Deletes a draft of an interrupted submission unless somebody else wrote part of it. Returns how many drafts were deleted. */
export const removeLeftover = async (
  context: ForgejoContext,
  target: Target,
  { draft, isOurs }: { readonly draft: ApiReview | null; readonly isOurs: (body: string) => boolean },
  signal: AbortSignal,
): Promise<number> => {
  if (draft === null) return 0;
  const comments = await fetchReviewComments(context, target, draft.id, signal);
  const bodies = [draft.body, ...comments.map((comment) => comment.body)];
  // The forge creates the review, with an empty body, before its first comment.
  if (!bodies.every((body) => body.trim() === '' || isOurs(body))) return 0;
  return deleteIfThere(context, target, draft.id, signal);
};

const MAX_FOREIGN_DRAFTS = 5;

/**
 * Returns the reviews once the account has no draft among them that would be published too. Null if a draft stays.
 * Another poster of the same account may publish its draft, and begin the next one, between two reads.
 */
export const withoutDraft = async (
  known: readonly ApiReview[],
  selfId: number,
  {
    read,
    remove,
  }: { readonly read: () => Promise<readonly ApiReview[]>; readonly remove: (draft: ApiReview) => Promise<number> },
): Promise<readonly ApiReview[] | null> => {
  let reviews = known;
  for (let tries = 0; tries < MAX_FOREIGN_DRAFTS; tries += 1) {
    const draft = ownDraft(reviews, selfId);
    if (draft === null || (await remove(draft)) > 0) return reviews;
    reviews = await read();
    if (ownDraft(reviews, selfId)?.id === draft.id) return null;
  }
  return null;
};

export const clearLeftovers =
  (context: ForgejoContext): WritesReviews['clearLeftovers'] =>
  (of, isOurs, signal) =>
    context.projects.withProject(of.projectId, signal, async (project) => {
      const target = targetOf(project, of);
      const self = await context.self(signal);
      const draft = ownDraft(await fetchReviews(context, target, signal), self.id);
      return removeLeftover(context, target, { draft, isOurs }, signal);
    });
