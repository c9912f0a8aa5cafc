import { hasAccess } from './access.ts';
import { type BlamedLine, blameLine, isMissingLine, isMissingPath } from './blame.ts';
import { diffHunkFor } from './diff-hunk.ts';
import { SimGitError } from './git.ts';
import { fireReview } from './hook-payloads.ts';
import { mailMentioned, sendMail } from './mails.ts';
import { log } from './pulls.ts';
import { recordQuickActions } from './quick-actions.ts';
import { serverError, unprocessable } from './reply.ts';
import { isStale } from './stale.ts';
import { isDecision, replaceEarlier } from './standing.ts';
import type { SimComment, SimPull, SimReview, SimReviewState, SimUser, World } from './world.ts';
import { fullName, nextId } from './world.ts';

export type InlineWish = {
  readonly path: string;
  readonly body: string;
  readonly newPosition: number;
  readonly oldPosition: number;
  readonly extraLines: number;
};

/** `old_position` is used when it is above zero (Forgejo routers/api/v1/repo/pull_review.go, forges.md 5.3). */
const signedLine = (wish: InlineWish): number => (wish.oldPosition > 0 ? -wish.oldPosition : wish.newPosition);

const findThread = (pull: SimPull, reviewId: number, path: string, line: number): SimComment | undefined =>
  pull.comments.find(
    ({ code }) => code !== null && code.reviewId === reviewId && code.path === path && code.line === line,
  );

type AskedPlace = { readonly commit: string; readonly path: string; readonly line: number };

const commitOf = (pull: SimPull, reviewId: number): string => {
  const commit = pull.reviews.find((review) => review.id === reviewId)?.commitId ?? '';
  return commit === '' ? pull.refSha : commit;
};

/**
 * The stored place: the blamed line and commit. Errors for a missing path or line are ignored on the new side, every
 * other error is a 500 (Forgejo services/pull/review.go, forges.md 5.3).
 */
const blamedPlace = async (pull: SimPull, { commit, path, line }: AskedPlace): Promise<BlamedLine> => {
  const revision = line < 0 ? pull.mergeBase : commit;
  if (line === 0) throw serverError('LineBlame: fatal: -L invalid line number: 0');
  try {
    const blamed = await blameLine(pull.repo.gitDir, revision, path, Math.abs(line));
    return { commit: blamed.commit, line: line < 0 ? -blamed.line : blamed.line };
  } catch (error) {
    if (line > 0 && isMissingLine(error)) return { commit, line };
    if (error instanceof SimGitError) throw serverError(`LineBlame: ${error.stderr}`);
    throw error;
  }
};

/**
 * The stored place is the sent one. The old side is not checked; on the new side a line past the end is a 500
 * (Gitea v1.26.5 services/pull/review.go createCodeComment and isErrBlameNotFoundOrNotEnoughLines).
 */
const placeAsSent = async (pull: SimPull, { commit, path, line }: AskedPlace): Promise<BlamedLine> => {
  if (line <= 0) return { commit: pull.refSha, line };
  try {
    return { commit: (await blameLine(pull.repo.gitDir, commit, path, line)).commit, line };
  } catch (error) {
    if (isMissingPath(error)) return { commit: pull.refSha, line };
    if (error instanceof SimGitError) throw serverError('');
    throw error;
  }
};

/** Adds one inline comment to a review. Sends no webhook: that happens when the review is submitted. */
export const insertCodeComment = async (
  world: World,
  pull: SimPull,
  review: { readonly id: number; readonly author: SimUser },
  wish: InlineWish,
): Promise<SimComment> => {
  const { path, body, extraLines } = wish;
  const sentLine = signedLine(wish);
  // A comment in an existing conversation gets that conversation's place and commit.
  const thread = findThread(pull, review.id, path, sentLine)?.code ?? null;
  const { gitDir } = pull.repo;
  const findPlace = world.traits.storesBlamedLine ? blamedPlace : placeAsSent;
  const asked = { commit: commitOf(pull, review.id), path, line: sentLine };
  const place = thread === null ? await findPlace(pull, asked) : { commit: thread.commitId, line: thread.line };
  const isGitea = world.traits.product === 'gitea';
  const head = isGitea ? pull.refSha : asked.commit;
  const question = { gitDir, base: pull.mergeBase, head, path, signedLine: sentLine, fillsUnchanged: isGitea };
  const diffHunk = thread === null ? await diffHunkFor(question) : thread.diffHunk;
  const at = world.clock();
  const comment: SimComment = {
    id: nextId(world, 'comment'),
    kind: 'code',
    author: review.author,
    body,
    createdAt: at,
    updatedAt: at,
    code: { reviewId: review.id, path, line: place.line, sentLine, commitId: place.commit, diffHunk, extraLines },
    reviewId: review.id,
    resolver: null,
    reactions: [],
  };
  pull.comments.push(comment);
  recordQuickActions(world, review.author.login, `${fullName(pull.repo)}#${pull.number}`, body);
  log({ world, pull }, review.author, 'review.comment', {
    id: comment.id,
    review: review.id,
    path,
    line: sentLine,
    body,
  });
  return comment;
};

/** The user's only pending review of the pull request, which collects all of that user's comments (forges.md 5.3). */
export const pendingReview = (world: World, pull: SimPull, author: SimUser, commitId: string): SimReview => {
  const found = pull.reviews.find((review) => review.state === 'PENDING' && review.author.id === author.id);
  if (found !== undefined) return found;
  return addReview(world, pull, { author, state: 'PENDING', body: '', commitId });
};

export const addReview = (
  world: World,
  pull: SimPull,
  wish: Pick<SimReview, 'author' | 'state' | 'body' | 'commitId'>,
): SimReview => {
  const at = world.clock();
  const flags = { official: false, stale: false, dismissed: false, timelineId: 0 };
  const review = { ...wish, ...flags, id: nextId(world, 'review'), submittedAt: at, updatedAt: at };
  pull.reviews.push(review);
  return review;
};

const states: Readonly<Record<string, SimReviewState>> = {
  APPROVED: 'APPROVED',
  REQUEST_CHANGES: 'REQUEST_CHANGES',
  COMMENT: 'COMMENT',
};

export type ReviewDraft = { readonly event: string; readonly body: string; readonly hasComments: boolean };

/**
 * Only exact names match: `APPROVE`, an empty event or a typo gives a PENDING review
 * (Forgejo routers/api/v1/repo/pull_review.go preparePullReviewType, forges.md 5.3).
 */
export const reviewStateFor = (world: World, pull: SimPull, author: SimUser, draft: ReviewDraft): SimReviewState => {
  const state = states[draft.event] ?? 'PENDING';
  const hasBody = draft.body.trim() !== '';
  const decides = state === 'APPROVED' || state === 'REQUEST_CHANGES';
  if (decides && pull.author.id === author.id)
    throw unprocessable(`${state === 'APPROVED' ? 'approve' : 'reject'} your own pull is not allowed`);
  if (decides && pull.state === 'closed' && world.traits.refusesReviewOnClosed)
    throw unprocessable("can't submit review for a closed or merged PR");
  if (state === 'COMMENT' && !hasBody && !draft.hasComments)
    throw unprocessable('review event COMMENT requires a body or a comment');
  if ((state === 'REQUEST_CHANGES' || state === 'PENDING') && !hasBody)
    throw unprocessable(`review event ${draft.event} requires a body`);
  return state;
};

const codeCount = (pull: SimPull, reviewId: number): number =>
  pull.comments.filter((comment) => comment.code?.reviewId === reviewId).length;

export const submitReview = async (
  world: World,
  pull: SimPull,
  wish: Pick<SimReview, 'author' | 'state' | 'body' | 'commitId'>,
): Promise<SimReview> => {
  const { author, state, body, commitId } = wish;
  const wasPending = pull.reviews.some((other) => other.state === 'PENDING' && other.author.id === author.id);
  const review = pendingReview(world, pull, author, commitId);
  const decides = isDecision({ state });
  if (state === 'COMMENT' && body.trim() === '' && codeCount(pull, review.id) === 0)
    // Detected only while saving, so the API answers 500 (ContentEmptyErr in models/issues/review.go).
    throw serverError('Review content is empty');
  const at = world.clock();
  const official = decides && hasAccess(author, pull.repo, 'write');
  const stale = decides && (await isStale(pull, commitId));
  Object.assign(review, { state, body, commitId, official, stale, updatedAt: at, submittedAt: at });
  if (state === 'PENDING') review.timelineId = nextId(world, 'comment');
  else replaceEarlier(world, pull, review, wasPending);
  recordQuickActions(world, author.login, `${fullName(pull.repo)}#${pull.number}`, body);
  if (state !== 'PENDING') publish(world, pull, review);
  log({ world, pull }, author, 'review.submit', { id: review.id, state, body, comments: codeCount(pull, review.id) });
  return review;
};

const publish = (world: World, pull: SimPull, review: SimReview): void => {
  const at = world.clock();
  review.timelineId = nextId(world, 'comment');
  const { author, body } = review;
  const entry = { id: review.timelineId, kind: 'review', author, body, createdAt: at, updatedAt: at };
  pull.comments.push({ ...entry, code: null, reviewId: review.id, resolver: null, reactions: [] });
  pull.updatedAt = at;
  sendMail(world, pull, 'mail.review', { by: author, body });
  for (const comment of pull.comments) if (comment.code?.reviewId === review.id) mailMentioned(world, pull, comment);
  fireReview(world, pull, review);
};
