import type { ChangeRequest } from '../../vocabulary/ids.ts';
import { readPages } from '../paging.ts';
import { apiPath } from '../path.ts';
import { z } from 'zod';
import type { ForgejoContext } from './context.ts';
import { type ApiRepository, ApiReview, ApiReviewComment } from './schema.ts';

export type Target = { readonly project: ApiRepository; readonly number: number };

export const targetOf = (project: ApiRepository, of: ChangeRequest): Target => ({ project, number: of.number });

/**
 * Includes unpublished reviews of the account and pending review requests.
 * GET /repos/{owner}/{repo}/pulls/{index}/reviews: https://codeberg.org/api/swagger#/repository/repoListPullReviews
 */
export const fetchReviews = (
  context: ForgejoContext,
  { project, number }: Target,
  signal: AbortSignal,
): Promise<readonly ApiReview[]> =>
  readPages(
    context.http,
    {
      path: apiPath`/api/v1/repos/${project.owner.login}/${project.name}/pulls/${number}/reviews`,
      item: ApiReview,
      limit: context.traits.maxPageSize,
      keyOf: (review) => review.id,
    },
    signal,
  );

/**
 * Sorted oldest first; the forge sends them unpaged and in random order.
 * GET /repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments:
 * https://codeberg.org/api/swagger#/repository/repoGetPullReviewComments
 */
export const fetchReviewComments = async (
  context: ForgejoContext,
  { project, number }: Target,
  reviewId: number,
  signal: AbortSignal,
): Promise<readonly ApiReviewComment[]> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/pulls/${number}/reviews/${reviewId}/comments`;
  const { value } = await context.http.read({ path, schema: z.array(ApiReviewComment).nullable() }, signal);
  return (value ?? []).toSorted((left, right) => left.id - right.id);
};

/** DELETE /repos/{owner}/{repo}/pulls/{index}/reviews/{id}: https://codeberg.org/api/swagger#/repository/repoDeletePullReview */
export const deleteReview = async (
  context: ForgejoContext,
  { project, number }: Target,
  reviewId: number,
  signal: AbortSignal,
): Promise<void> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/pulls/${number}/reviews/${reviewId}`;
  await context.http.write({ method: 'DELETE', path, schema: null }, signal);
};
