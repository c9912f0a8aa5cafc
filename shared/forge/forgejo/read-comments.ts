import { inOrder } from '../../in-order.ts';
import { readPages } from '../paging.ts';
import { apiPath } from '../path.ts';
import type { ForgeComment } from '../port-facts.ts';
import type { KnownComments, ReadsComments } from '../port.ts';
import { type ForgejoContext, toAccount } from './api/context.ts';
import { fetchReviewComments, fetchReviews, type Target, targetOf, withEdits } from './reviews.ts';
import { ApiComment, type ApiReview, type ApiReviewComment, type ApiUser } from './api/schema.ts';
import { formatThreadId, parseThreadId } from './thread-id.ts';

/** Maximum number of reviews whose comments are read at the same time. This keeps the load on a small forge low. */
const READ_AT_ONCE = 4;

/** States of published reviews. PENDING marks an unpublished review, and REQUEST_REVIEW marks a request, not a review. */
const PUBLISHED: ReadonlySet<string> = new Set(['COMMENT', 'APPROVED', 'REQUEST_CHANGES']);

const authorOf = (user: ApiUser | null | undefined): ForgeComment['author'] =>
  user === null || user === undefined ? null : toAccount(user);

const times = (of: { created_at: number; updated_at: number }): Pick<ForgeComment, 'createdAtMs' | 'updatedAtMs'> => ({
  createdAtMs: of.created_at,
  updatedAtMs: of.updated_at,
});

const fromConversation = (comment: ApiComment): ForgeComment => ({
  id: String(comment.id),
  kind: 'conversation',
  threadId: null,
  author: authorOf(comment.user),
  body: comment.body,
  ...times(comment),
  place: null,
  resolved: null,
  webUrl: comment.html_url,
});

const fromReview = (review: ApiReview): ForgeComment => ({
  id: String(review.id),
  kind: 'review_body',
  threadId: null,
  author: authorOf(review.user),
  body: review.body,
  createdAtMs: review.submitted_at,
  updatedAtMs: review.updated_at ?? review.submitted_at,
  place: null,
  resolved: null,
  webUrl: review.html_url,
});

/** The line: positive on the new side, negative on the old side, 0 when the comment has no line. */
const signedLine = (comment: ApiReviewComment): number =>
  comment.position > 0 ? comment.position : -comment.original_position;

const placeOf = (comment: ApiReviewComment): ForgeComment['place'] => {
  const line = signedLine(comment);
  if (line === 0) return null;
  return { path: comment.path, side: line > 0 ? 'new' : 'old', line: Math.abs(line) };
};

/** `comments` belong to one review and are sorted oldest first. */
const fromInline = (reviewId: number, comments: readonly ApiReviewComment[]): readonly ForgeComment[] => {
  const keyOf = (comment: ApiReviewComment): string => `${signedLine(comment)} ${comment.path}`;
  const roots = new Map<string, number>();
  const resolved = new Set<string>();
  for (const comment of comments) {
    if (!roots.has(keyOf(comment))) roots.set(keyOf(comment), comment.id);
    // The forge stores `resolver` on one comment of the thread; it applies to the whole thread.
    if (comment.resolver !== null && comment.resolver !== undefined) resolved.add(keyOf(comment));
  }
  return comments.map((comment) => {
    const line = signedLine(comment);
    const root = roots.get(keyOf(comment)) ?? comment.id;
    return {
      id: String(comment.id),
      kind: 'inline',
      threadId: line === 0 ? null : formatThreadId({ review: reviewId, path: comment.path, line, root }),
      author: authorOf(comment.user),
      body: comment.body,
      ...times(comment),
      place: placeOf(comment),
      resolved: resolved.has(keyOf(comment)),
      webUrl: comment.html_url,
    };
  });
};

/** GET /repos/{owner}/{repo}/issues/{index}/comments: https://codeberg.org/api/swagger#/issue/issueGetComments */
const fetchConversation = (
  context: ForgejoContext,
  { project, number }: Target,
  signal: AbortSignal,
): Promise<readonly ApiComment[]> =>
  readPages(
    context.http,
    {
      path: apiPath`/api/v1/repos/${project.owner.login}/${project.name}/issues/${number}/comments`,
      item: ApiComment,
      limit: context.traits.maxPageSize,
      keyOf: (comment) => comment.id,
    },
    signal,
  );

const fetchInline = async (
  context: ForgejoContext,
  target: Target,
  reviewIds: readonly number[],
  signal: AbortSignal,
): Promise<readonly ForgeComment[]> => {
  const perReview = await inOrder(reviewIds, READ_AT_ONCE, async (id) =>
    fromInline(id, await fetchReviewComments(context, target, id, signal)),
  );
  return perReview.flat();
};

/** Comments and reviews are numbered separately, so equal ids are sorted by kind. */
const byId = (left: ForgeComment, right: ForgeComment): number =>
  Number(left.id) - Number(right.id) || left.kind.localeCompare(right.kind);

/**
 * `reviews` is null when another process read the known comments. `said` contains review bodies and inline comments.
 */
type Reviewed = { readonly reviews: readonly ApiReview[] | null; readonly said: readonly ForgeComment[] };

const readReviewed = async (context: ForgejoContext, target: Target, signal: AbortSignal): Promise<Reviewed> => {
  const reviews = await fetchReviews(context, target, signal);
  const published = reviews.filter((review) => PUBLISHED.has(review.state));
  const withComments = published.filter((review) => review.comments_count !== 0).map(({ id }) => id);
  const inline = await fetchInline(context, target, withComments, signal);
  const bodies = published.filter((review) => review.body.trim() !== '').map(fromReview);
  return { reviews, said: [...bodies, ...inline] };
};

/** Reuses lists that the caller has not written to. Null when an inline comment has no thread id: its review is then unknown. */
const readKnown = async (
  context: ForgejoContext,
  target: Target,
  { comments, written }: KnownComments,
  signal: AbortSignal,
): Promise<Reviewed | null> => {
  const reviews = context.reviewsBehind.get(comments) ?? null;
  const said = comments.filter(({ kind }) => kind !== 'conversation');
  if (written !== 'threads') return { reviews, said };
  const [bodies, inline] = [said.filter(({ kind }) => kind !== 'inline'), said.filter(({ kind }) => kind === 'inline')];
  const threadIds = inline.flatMap(({ threadId }) => threadId ?? []);
  if (threadIds.length < inline.length) return null;
  const reviewIds = [...new Set(threadIds.map((id) => parseThreadId(id).review))];
  return { reviews, said: [...bodies, ...(await fetchInline(context, target, reviewIds, signal))] };
};

export const readsComments = (context: ForgejoContext): ReadsComments => ({
  fetchComments: (of, signal, known) =>
    context.projects.withProject(of.projectId, signal, async (project) => {
      const target = targetOf(project, of);
      const { reviews, said } =
        (known && (await readKnown(context, target, known, signal))) ?? (await readReviewed(context, target, signal));
      const conversation =
        known?.written === 'review'
          ? known.comments.filter(({ kind }) => kind === 'conversation')
          : (await fetchConversation(context, target, signal)).map(fromConversation);
      const present = await withEdits(context, target, { comments: said, isKnown: known !== undefined }, signal);
      const comments = [...conversation, ...present].toSorted(byId);
      if (reviews !== null) context.reviewsBehind.set(comments, reviews);
      return comments;
    }),
});
