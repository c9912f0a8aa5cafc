import type { ChangeRequest } from '../../vocabulary/ids.ts';
import { readPages } from '../paging.ts';
import { hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import { readableItems } from '../readable-items.ts';
import { z } from 'zod';
import type { ForgejoContext } from './api/context.ts';
import type { ForgeComment } from '../port-facts.ts';
import { type ApiRepository, ApiReview, ApiReviewComment, ApiTimelineEntry } from './api/schema.ts';

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
 * Returns the comments sorted oldest first. The forge sends all of them on one page in random order.
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
  const { value } = await context.http.read({ path, schema: z.array(ApiReviewComment) }, signal);
  return value.toSorted((left, right) => left.id - right.id);
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

/**
 * A short page does not mark the end of the timeline, because the forge drops inline comments after it has cut the pages. Reading
 * starts at the time of the review, so the review is on one of the first pages.
 */
const MAX_PAGES = 5;

/** The id of the comment that represents the review. Returns null when that comment was deleted. */
export const commentIdOf = ({ webUrl }: Pick<ForgeComment, 'webUrl'>): string | null =>
  /^#issuecomment-(\d{1,16})$/.exec(webUrl.slice(Math.max(0, webUrl.lastIndexOf('#'))))?.[1] ?? null;

type Text = Pick<ForgeComment, 'body' | 'updatedAtMs'>;

/**
 * Replaces the body of an edited review with its current text. The forges store that text twice. An edit by the
 * comment's id changes the text on the page and in the timeline (`UpdateComment` in models/issues/comment.go), but the
 * lists of reviews keep the original text (`ToPullReview` in services/convert/pull_review.go). A review whose comment
 * was deleted has no text on the page and no address (`HTMLURL` in models/issues/review.go), so it is left out.
 *
 * `isKnown`: the caller read `comments` earlier and may have edited some since. The responses to those edits make a new
 * read unnecessary.
 */
export const withEdits = async (
  context: ForgejoContext,
  target: Target,
  { comments, isKnown }: { readonly comments: readonly ForgeComment[]; readonly isKnown: boolean },
  signal: AbortSignal,
): Promise<readonly ForgeComment[]> => {
  const asked = comments.filter(({ kind, body }) => kind === 'review_body' && context.isEdited(body));
  const found = new Map<ForgeComment, Text | 'gone' | null>();
  for (const comment of asked) {
    const answer = takeAnswer(context, comment);
    const fresh = isKnown ? answer : null;
    found.set(comment, fresh ?? (await fetchText(context, target, comment, signal)));
  }
  return comments.flatMap((comment) => {
    const text = found.get(comment);
    return text === 'gone' ? [] : [{ ...comment, ...text }];
  });
};

/** Each stored response is used once, because somebody else may edit the review later. */
const takeAnswer = ({ answered }: ForgejoContext, comment: ForgeComment): Text | null => {
  const id = commentIdOf(comment) ?? '';
  const answer = answered.get(id) ?? null;
  answered.delete(id);
  return answer;
};

/**
 * The forges write `null` for a reference whose comment was deleted (`ToTimelineComment` in
 * services/convert/issue_comment.go). An entry that cannot be read may be left out here: if the entry of `comment` is not
 * found, a second request finds out whether it exists, and the text of the list of reviews counts.
 * GET /repos/{owner}/{repo}/issues/{index}/timeline: https://codeberg.org/api/swagger#/issue/issueGetCommentsAndTimeline
 */
const fetchText = async (
  context: ForgejoContext,
  target: Target,
  comment: ForgeComment,
  signal: AbortSignal,
): Promise<Text | 'gone' | null> => {
  const { http, traits } = context;
  const { project, number } = target;
  const id = commentIdOf(comment);
  if (id === null) return 'gone';
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/issues/${number}/timeline`;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { since: new Date(comment.createdAtMs).toISOString(), page, limit: traits.maxPageSize };
    const { value } = await http.read({ path, query, schema: readableItems(ApiTimelineEntry).nullable() }, signal);
    const entry = (value ?? []).find((each) => String(each.id) === id);
    if (entry !== undefined) return { body: entry.body, updatedAtMs: entry.updated_at };
  }
  return (await exists(context, target, id, signal)) ? null : 'gone';
};

/**
 * Both forges answer 204 for a comment of another kind, such as a review, and 404 for a comment that does not exist.
 * GET /repos/{owner}/{repo}/issues/comments/{id}: https://codeberg.org/api/swagger#/issue/issueGetComment
 */
const exists = async (
  { http }: ForgejoContext,
  { project }: Target,
  id: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/issues/comments/${id}`;
  try {
    await http.read({ path, schema: z.unknown() }, signal);
    return true;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return false;
    throw error;
  }
};
