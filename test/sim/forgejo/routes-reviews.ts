import { z } from 'zod';
import { bodyOf, type Call, integer, numberParam, pullOf, type Route, signedIn, text } from './call.ts';
import { hasAccess } from './access.ts';
import { deleteComment } from './comments.ts';
import { paged, settledFor } from './paging.ts';
import { sendMail } from './mails.ts';
import { log } from './pulls.ts';
import { empty, forbidden, json, notFound, type Reply, serverError, unprocessable } from './reply.ts';
import { codeCommentJson, reviewJson } from './represent.ts';
import { insertCodeComment, pendingReview, reviewStateFor, submitReview } from './reviews.ts';
import { isDecision, restoreOfficial } from './standing.ts';
import type { SimComment, SimPull, SimReview } from './world.ts';
import { shuffled } from './world.ts';

/** Limit of `[repository.pull-request]` for the lines of one comment. */
const maxExtraLines = 100;

const Inline = z.object({
  path: text,
  body: text,
  new_position: integer,
  old_position: integer,
  extra_lines_count: integer,
});
type Inline = z.output<typeof Inline>;

const NewReview = z.object({ event: text, body: text, commit_id: text, comments: z.array(Inline).nullish() });

const inlineWish = (call: Call, inline: Inline): Parameters<typeof insertCodeComment>[3] => {
  const extraLines = call.world.traits.extraLines ? inline.extra_lines_count : 0;
  if (extraLines < 0 || extraLines > maxExtraLines) throw unprocessable('extra_lines_count out of range');
  const { path, body, new_position: newPosition, old_position: oldPosition } = inline;
  return { path, body, newPosition, oldPosition, extraLines };
};

/**
 * Not atomic: comments are added one by one to the caller's pending review; when one fails, those before it stay and are
 * part of the next submission (Forgejo routers/api/v1/repo/pull_review.go, forges.md 5.3).
 */
const createReview = async (call: Call): Promise<Reply> => {
  const author = signedIn(call);
  const pull = pullOf(call);
  const wish = bodyOf(call, NewReview);
  const comments = (wish.comments ?? []).map((inline) => inlineWish(call, inline));
  const draft = { event: wish.event, body: wish.body, hasComments: comments.length > 0 };
  const state = reviewStateFor(call.world, pull, author, draft);
  // Without a commit, the review belongs to the current head.
  const commitId = wish.commit_id === '' ? pull.refSha : wish.commit_id;
  for (const inline of comments) {
    const review = pendingReview(call.world, pull, author, commitId);
    await insertCodeComment(call.world, pull, review, inline);
  }
  const review = await submitReview(call.world, pull, { author, state, body: wish.body, commitId });
  return json(200, reviewJson(call.world, pull, review));
};

/** Another user's pending review is not visible (Forgejo prepareSingleReview). */
export const reviewOf = (call: Call, pull: SimPull): SimReview => {
  const review = pull.reviews.find((candidate) => candidate.id === numberParam(call, 'id'));
  if (review === undefined) throw notFound();
  const own = review.author.id === call.user?.id || call.user?.isAdmin === true;
  if (review.state === 'PENDING' && !own) throw notFound();
  return review;
};

const submitPending = async (call: Call): Promise<Reply> => {
  const author = signedIn(call);
  const pull = pullOf(call);
  const review = reviewOf(call, pull);
  if (review.state !== 'PENDING') throw unprocessable('only a pending review can be submitted');
  const { event, body } = bodyOf(call, z.object({ event: text, body: text }));
  const hasComments = pull.comments.some((comment) => comment.code?.reviewId === review.id);
  const state = reviewStateFor(call.world, pull, author, { event, body, hasComments });
  if (state === 'PENDING') throw unprocessable('review stay pending');
  const done = await submitReview(call.world, pull, { author, state, body, commitId: pull.refSha });
  return json(200, reviewJson(call.world, pull, done));
};

const listReviews = (call: Call): Reply => {
  const pull = pullOf(call);
  const settled = settledFor(call);
  const visible = pull.reviews.filter(
    (review) =>
      (review.state !== 'PENDING' || review.author.id === call.user?.id) &&
      settled({ author: review.author, createdAt: review.submittedAt }),
  );
  const path = `/repos/${pull.repo.owner.login}/${pull.repo.name}/pulls/${pull.number}/reviews`;
  return paged(
    call,
    path,
    visible.map((review) => reviewJson(call.world, pull, review)),
  );
};

const getReview = (call: Call): Reply => {
  const pull = pullOf(call);
  return json(200, reviewJson(call.world, pull, reviewOf(call, pull)));
};

/** For its author and site admins (forges.md 5.3). A review request cannot be deleted (models/issues/review.go DeleteReview). */
const deleteReview = (call: Call): Reply => {
  const actor = signedIn(call);
  const pull = pullOf(call);
  const review = reviewOf(call, pull);
  if (review.author.id !== actor.id && !actor.isAdmin)
    throw forbidden(
      // Forgejo prints a nil error here, by mistake.
      call.world.traits.product === 'forgejo' ? '%!s(<nil>)' : 'no permission to delete comment',
    );
  if (review.state === 'REQUEST_REVIEW') throw serverError(`can not delete ReviewID: ${review.id}`);
  pull.reviews = pull.reviews.filter((other) => other !== review);
  if (review.official) restoreOfficial(pull, review.author);
  pull.comments = pull.comments.filter((comment) => comment.reviewId !== review.id);
  log({ world: call.world, pull }, actor, 'review.delete', { id: review.id, state: review.state });
  return empty(204);
};

const commentsOf = (pull: SimPull, review: SimReview): readonly SimComment[] =>
  pull.comments.filter((comment) => comment.code?.reviewId === review.id);

/** Not paged, and in random order, because of a Go map (Forgejo services/convert/pull_review.go, forges.md 5.3). */
const listReviewComments = (call: Call): Reply => {
  const pull = pullOf(call);
  const comments = commentsOf(pull, reviewOf(call, pull)).filter(settledFor(call));
  const answers = comments.map((comment) => codeCommentJson(call.world, pull, comment));
  return json(200, shuffled(answers, call.world.random));
};

/** Adds a reply, or a comment on any submitted review. Sends no webhook and no notification (forges.md 4.3). */
const createReviewComment = async (call: Call): Promise<Reply> => {
  const author = signedIn(call);
  const pull = pullOf(call);
  const review = reviewOf(call, pull);
  const inline = inlineWish(call, bodyOf(call, Inline));
  const comment = await insertCodeComment(call.world, pull, { id: review.id, author }, inline);
  return json(200, codeCommentJson(call.world, pull, comment));
};

const reviewCommentOf = (call: Call): { pull: SimPull; comment: SimComment } => {
  const pull = pullOf(call);
  const id = numberParam(call, 'comment');
  const comment = commentsOf(pull, reviewOf(call, pull)).find((candidate) => candidate.id === id);
  if (comment === undefined) throw notFound();
  return { pull, comment };
};

const getReviewComment = (call: Call): Reply => {
  const { pull, comment } = reviewCommentOf(call);
  return json(200, codeCommentJson(call.world, pull, comment));
};

const deleteReviewComment = (call: Call): Reply => {
  const actor = signedIn(call);
  const { pull, comment } = reviewCommentOf(call);
  deleteComment(call.world, { pull, comment }, actor);
  return empty(204);
};

const dismissReview = (call: Call): Reply => {
  const actor = signedIn(call);
  const pull = pullOf(call);
  if (!hasAccess(actor, pull.repo, 'admin')) throw forbidden('Must be repo admin');
  const review = reviewOf(call, pull);
  if (!isDecision(review))
    throw forbidden("not need to dismiss this review because it's type is not Approve or change request");
  if (pull.state === 'closed') throw forbidden("can't dismiss a review associated to a closed or merged PR");
  review.dismissed = true;
  log({ world: call.world, pull }, actor, 'review.dismiss', { id: review.id });
  sendMail(call.world, pull, 'mail.dismissal', { by: actor, body: '' });
  return json(200, reviewJson(call.world, pull, review));
};

const at = (path: string): string => `/repos/{owner}/{repo}/pulls/{index}/reviews${path}`;

export const reviewRoutes: readonly Route[] = [
  { method: 'GET', path: at(''), category: 'repository', handle: listReviews },
  { method: 'POST', path: at(''), category: 'repository', handle: createReview },
  { method: 'GET', path: at('/{id}'), category: 'repository', handle: getReview },
  { method: 'POST', path: at('/{id}'), category: 'repository', handle: submitPending },
  { method: 'DELETE', path: at('/{id}'), category: 'repository', handle: deleteReview },
  { method: 'GET', path: at('/{id}/comments'), category: 'repository', handle: listReviewComments },
  { method: 'POST', path: at('/{id}/dismissals'), category: 'repository', handle: dismissReview },
];

/** Forgejo only (`traits.reviewComments`). */
export const reviewCommentRoutes: readonly Route[] = [
  { method: 'POST', path: at('/{id}/comments'), category: 'repository', handle: createReviewComment },
  { method: 'GET', path: at('/{id}/comments/{comment}'), category: 'repository', handle: getReviewComment },
  { method: 'DELETE', path: at('/{id}/comments/{comment}'), category: 'repository', handle: deleteReviewComment },
];
