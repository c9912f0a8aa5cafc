/**
 * Approvals and requests for changes are reviews with a state. Only the newest one of each account counts. A later
 * comment does not withdraw this verdict, but an open request to review again suspends it (models/issues/review.go
 * AddReviewRequest).
 *
 * Only project admins may dismiss a review. The author may delete a review, but this also deletes its comments. So an
 * account that may not dismiss submits a verdict as a review without comments. A new verdict dismisses earlier verdicts
 * of its account, so deleting the new one does not restore them (CreateReview in the same file).
 */
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { CommitSha } from '../../vocabulary/ids.ts';
import { hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { WritesVerdicts } from '../port.ts';
import type { ForgeVerdict, StandingVerdict, VerdictRefusal } from '../../vocabulary/forge-verdict.ts';
import type { ForgejoContext } from './api/context.ts';
import { ownDraft } from './leftovers.ts';
import { deleteReview, fetchReviews, type Target, targetOf } from './reviews.ts';
import { ApiReview } from './api/schema.ts';

/** Event names of the API. The forge leaves a review with any other event unpublished. */
export const EVENTS = { approved: 'APPROVED', changes_requested: 'REQUEST_CHANGES' } as const satisfies Record<
  ForgeVerdict,
  string
>;

const VERDICTS: Readonly<Record<string, ForgeVerdict>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
};

export const ASKED = 'REQUEST_REVIEW';

type Given = { readonly review: ApiReview; readonly verdict: ForgeVerdict };

/** The bot's reviews, oldest first. */
const ownReviews = async (
  context: ForgejoContext,
  target: Target,
  signal: AbortSignal,
): Promise<readonly ApiReview[]> => {
  const { id } = await context.self(signal);
  const reviews = await fetchReviews(context, target, signal);
  return reviews.filter(({ user }) => user?.id === id).toSorted((left, right) => left.id - right.id);
};

/** The bot's verdicts, including dismissed ones. */
const verdictsIn = (own: readonly ApiReview[]): readonly Given[] =>
  own.flatMap((review) => {
    const verdict = VERDICTS[review.state];
    return verdict === undefined ? [] : [{ review, verdict }];
  });

const standingIn = (own: readonly ApiReview[]): StandingVerdict | null => {
  const newest = verdictsIn(own).at(-1);
  if (newest === undefined) return null;
  const { review, verdict } = newest;
  const head = CommitSha.safeParse(review.commit_id);
  const askedAgain = own.some(({ id, state }) => state === ASKED && id > review.id);
  return { verdict, head: head.success ? head.data : null, dismissed: review.dismissed === true, askedAgain };
};

/** Refusal reasons: own change request (422), closed one (Gitea, 422), locked conversation or blocked account (403). */
const refusalOf = (error: unknown): VerdictRefusal | null => {
  if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return 'forbidden';
  const refused = error instanceof AppError && hasForgeCode(error, 'FORGE_REJECTED');
  return refused && error.fields['status'] === 422 ? 'forbidden' : null;
};

const orRefusal = async (writing: Promise<unknown>): Promise<VerdictRefusal | null> => {
  try {
    await writing;
    return null;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  }
};

const Rights = z.object({ permissions: z.object({ admin: z.boolean() }).nullish() });

/**
 * The permission is read on every call: without it, a verdict in a review with comments can never be withdrawn.
 * GET /repos/{owner}/{repo}: https://codeberg.org/api/swagger#/repository/repoGet
 */
export const mayDismiss = async ({ http }: ForgejoContext, { project }: Target, signal: AbortSignal) => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}`;
  const { value } = await http.read({ path, schema: Rights }, signal);
  return value.permissions?.admin === true;
};

/** POST .../reviews/{id}/dismissals: https://codeberg.org/api/swagger#/repository/repoDismissPullReview */
const dismiss = async ({ http }: ForgejoContext, { project, number }: Target, id: number, signal: AbortSignal) => {
  const { owner, name } = project;
  const path = apiPath`/api/v1/repos/${owner.login}/${name}/pulls/${number}/reviews/${id}/dismissals`;
  const body = { message: 'Withdrawn by its author.' };
  await http.write({ method: 'POST', path, body, schema: null }, signal);
};

const takeBack = async (
  context: ForgejoContext,
  target: Target,
  { review }: Given,
  signal: AbortSignal,
): Promise<VerdictRefusal | null> => {
  if (await mayDismiss(context, target, signal)) return orRefusal(dismiss(context, target, review.id, signal));
  if (review.comments_count !== 0) return 'forbidden';
  return orRefusal(deleteReview(context, target, review.id, signal));
};

export const writesVerdicts = (context: ForgejoContext): WritesVerdicts => ({
  fetchOwnVerdict: (of, signal) =>
    context.projects.withProject(of.projectId, signal, async (project) =>
      standingIn(await ownReviews(context, targetOf(project, of), signal)),
    ),
  // POST /repos/{owner}/{repo}/pulls/{index}/reviews: https://codeberg.org/api/swagger#/repository/repoCreatePullReview
  giveVerdict: (of, { verdict, head, body }, signal) =>
    context.projects.withProject(of.projectId, signal, async (project) => {
      const { owner, name } = project;
      const { id } = await context.self(signal);
      // Submitting any review also publishes the account's unpublished review.
      if (ownDraft(await fetchReviews(context, targetOf(project, of), signal), id) !== null) return 'unpublished_draft';
      const path = apiPath`/api/v1/repos/${owner.login}/${name}/pulls/${of.number}/reviews`;
      const sent = { event: EVENTS[verdict], body, commit_id: head, comments: [] };
      return orRefusal(context.http.write({ method: 'POST', path, body: sent, schema: ApiReview }, signal));
    }),
  withdrawVerdicts: (of, which, signal) =>
    context.projects.withProject(of.projectId, signal, async (project) => {
      const target = targetOf(project, of);
      const own = verdictsIn(await ownReviews(context, target, signal));
      const standing = own.filter(({ review, verdict }) => review.dismissed !== true && which.includes(verdict));
      let refused: VerdictRefusal | null = null;
      // Withdraws the newest verdict first, so that an older verdict counts again only for a moment.
      for (const given of standing.toReversed()) refused = (await takeBack(context, target, given, signal)) ?? refused;
      return refused;
    }),
});
