import type { AppError } from '../../errors.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError, hasForgeCode, InlineRefusedError } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { OutgoingInline, OutgoingReview, WritesReviews } from '../port.ts';
import type { ForgejoContext } from './api/context.ts';
import { ownDraft, removeLeftover, withoutDraft } from './leftovers.ts';
import { deleteReview, fetchReviewComments, fetchReviews, type Target, targetOf } from './reviews.ts';
import { ApiReview } from './api/schema.ts';
import { EVENTS, mayDismiss } from './verdicts.ts';
import { type ForgejoLines, toForgejoLines } from '../../diff/position/forgejo-position.ts';

type ReviewEvent = 'COMMENT' | (typeof EVENTS)[keyof typeof EVENTS];

type Submission = {
  readonly context: ForgejoContext;
  readonly target: Target;
  readonly review: OutgoingReview;
  readonly event: ReviewEvent;
  readonly comments: readonly InlineBody[];
  readonly selfId: number;
  /** Ids of the reviews that existed before the submission, including unpublished reviews. */
  readonly before: ReadonlySet<number>;
};

const draftInTheWay = (of: Target): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_PENDING_DRAFT',
    message: 'the account has an unpublished review, which a new review would publish',
    disposition: { kind: 'fail' },
    fields: { project: of.project.id, changeRequest: of.number },
  });

const stayedDraft = (state: string): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_BAD_ANSWER',
    message: 'the forge stored a review that differs from the submitted one',
    disposition: { kind: 'fail' },
    fields: { state },
  });

/**
 * An unknown `event` leaves the review unpublished without an error. If `commit_id` is missing, the forge uses the current head.
 * POST /repos/{owner}/{repo}/pulls/{index}/reviews: https://codeberg.org/api/swagger#/repository/repoCreatePullReview
 */
const post = async (
  { context, target, review, event, comments }: Submission,
  signal: AbortSignal,
): Promise<ApiReview> => {
  const { owner, name } = target.project;
  const path = apiPath`/api/v1/repos/${owner.login}/${name}/pulls/${target.number}/reviews`;
  const body = { event, body: review.body, commit_id: review.head, comments };
  const { value } = await context.http.write({ method: 'POST', path, body, schema: ApiReview }, signal);
  // `write` returns null only when the schema is null.
  return value as ApiReview;
};

/** Deletes the draft that a failed submission left. Returns how many comments the draft had; null when there was no draft. */
const removeOwnDraft = async (
  submission: Submission,
  draft: ApiReview | null,
  signal: AbortSignal,
): Promise<number | null> => {
  if (draft === null) return null;
  const { context, target } = submission;
  const inserted = await fetchReviewComments(context, target, draft.id, signal);
  const sent = new Set(submission.comments.map((comment) => comment.body));
  if (inserted.every((comment) => sent.has(comment.body))) await deleteReview(context, target, draft.id, signal);
  return inserted.length;
};

const isThisReview = ({ review, event, selfId, before }: Submission, found: ApiReview): boolean =>
  !before.has(found.id) && found.state === event && found.user?.id === selfId && found.body === review.body;

/** The forge inserts comments one by one, so the number of comments in the draft shows which comment was refused. */
const judge = (error: AppError, total: number, inserted: number | null): AppError => {
  if (total === 0) return error;
  if (inserted !== null && inserted < total) return new InlineRefusedError(inserted, error);
  return error.fields['status'] === 422 ? new InlineRefusedError(null, error) : error;
};

/** Returns the error to throw; null when the review was published after all. */
const examine = async (submission: Submission, error: AppError, signal: AbortSignal): Promise<AppError | null> => {
  const { context, target, selfId, comments } = submission;
  const reviews = await fetchReviews(context, target, signal);
  if (reviews.some((found) => isThisReview(submission, found))) return null;
  const inserted = await removeOwnDraft(submission, ownDraft(reviews, selfId), signal);
  return judge(error, comments.length, inserted);
};

/** After a timeout or a 5xx from a gateway the forge may still be working, so only the next attempt cleans up. */
const isOver = (error: unknown): error is AppError =>
  (hasForgeCode(error, 'FORGE_REJECTED') || error instanceof ForgeUnknownOutcomeError) &&
  (error.fields['status'] === 422 || error.fields['status'] === 500);

const submit = async (submission: Submission, signal: AbortSignal): Promise<void> => {
  try {
    const { id, state } = await post(submission, signal);
    if (state === submission.event) return;
    await deleteReview(submission.context, submission.target, id, signal);
    throw stayedDraft(state);
  } catch (error) {
    if (!isOver(error)) throw error;
    // When this read fails too, the first error is thrown; the next attempt deletes the leftovers.
    const verdict = await examine(submission, error, signal).catch(() => error);
    if (verdict !== null) throw verdict;
  }
};

const toBodies = (review: OutgoingReview, ranges: boolean): readonly InlineBody[] =>
  review.comments.map((comment, index) => {
    const body = toInlineBody(comment, ranges);
    if (body === null) throw new InlineRefusedError(index, undefined);
    return body;
  });

/** Fixpoint never deletes a review that has comments, so such a review gets a verdict only if the account may dismiss it. */
const eventFor = async (
  context: ForgejoContext,
  target: Target,
  { verdict }: OutgoingReview,
  signal: AbortSignal,
): Promise<ReviewEvent> =>
  verdict !== undefined && (await mayDismiss(context, target, signal)) ? EVENTS[verdict] : 'COMMENT';

/** If the forge refuses the whole review, the verdict may be the reason, so the comments are submitted again without it. */
const submitOrComment = async (submission: Submission, signal: AbortSignal): Promise<ReviewEvent> => {
  try {
    await submit(submission, signal);
    return submission.event;
  } catch (error) {
    const unplaced = error instanceof InlineRefusedError && error.index === null;
    const refused = unplaced || hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_REJECTED');
    if (submission.event === 'COMMENT' || !refused) throw error;
    await submit({ ...submission, event: 'COMMENT' }, signal);
    return 'COMMENT';
  }
};

/** Returns the ids of all reviews. Throws FORGE_PENDING_DRAFT when the bot did not create the unpublished review. */
const clearTheWay = async (
  { context, target, review, selfId }: Pick<Submission, 'context' | 'target' | 'review' | 'selfId'>,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> => {
  const { isOurs, seen } = review;
  const known = seen === undefined ? undefined : context.reviewsBehind.get(seen);
  const read = (): Promise<readonly ApiReview[]> => fetchReviews(context, target, signal);
  const remove = (draft: ApiReview): Promise<number> =>
    isOurs === undefined ? Promise.resolve(0) : removeLeftover(context, target, { draft, isOurs }, signal);
  const reviews = await withoutDraft(known ?? (await read()), selfId, { read, remove });
  if (reviews === null) throw draftInTheWay(target);
  return new Set(reviews.map((found) => found.id));
};

export const submitReview =
  (context: ForgejoContext): WritesReviews['submitReview'] =>
  (of, review, signal) => {
    return context.projects.withProject(of.projectId, signal, async (project) => {
      const comments = toBodies(review, context.traits.extraLinesCount);
      const target = targetOf(project, of);
      const { id: selfId } = await context.self(signal);
      const before = await clearTheWay({ context, target, review, selfId }, signal);
      const event = await eventFor(context, target, review, signal);
      const submitted = await submitOrComment({ context, target, review, event, comments, selfId, before }, signal);
      return submitted === 'COMMENT' ? null : (review.verdict ?? null);
    });
  };

export type InlineBody = ForgejoLines & { readonly body: string };

/** Null when the position has no line on its side. The forge would read that as line 0 and fail in the middle of the review. */
export const toInlineBody = ({ position, body }: OutgoingInline, supportsRanges: boolean): InlineBody | null => {
  const lines = toForgejoLines(position, { supportsRanges });
  if (lines.old_position === 0 && lines.new_position === 0) return null;
  return { ...lines, body };
};
