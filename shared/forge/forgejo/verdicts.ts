/**
 * Approvals and requests for changes are reviews with a state. The newest one of an account counts. A later comment does not
 * withdraw it, but a request to review again does while that request is open (models/issues/review.go AddReviewRequest).
 *
 * Only project admins may dismiss a review. Its author may delete it, with all its comments. So, unless the account may
 * dismiss, a verdict is submitted as a review without comments, which can be deleted without losing any. A new verdict
 * dismisses the earlier ones of its account, so none of them counts again when it is deleted (CreateReview in the same file).
 */
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { CommitSha } from '../../vocabulary/ids.ts';
import { hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { WritesVerdicts } from '../port.ts';
import type { ForgeVerdict, StandingVerdict, VerdictRefusal } from '../../vocabulary/forge-verdict.ts';
import type { ForgejoContext } from './context.ts';
import { ownDraft } from './leftovers.ts';
import { deleteReview, fetchReviews, type Target, targetOf } from './reviews.ts';
import { ApiReview } from './schema.ts';

/** Constants of the API; any other word leaves the review unpublished. */
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

/** Oldest first. */
const ownReviews = async (
  context: ForgejoContext,
  target: Target,
  signal: AbortSignal,
): Promise<readonly ApiReview[]> => {
  const { id } = await context.self(signal);
  const reviews = await fetchReviews(context, target, signal);
  return reviews.filter(({ user }) => user?.id === id).toSorted((left, right) => left.id - right.id);
};

/** Includes dismissed verdicts. */
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

/** Refused on an own change request (422), a closed one (Gitea, 422), a locked conversation or a blocked account (403). */
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
 * Read on every call, because a verdict in a review with comments can never be withdrawn once the permission is gone.
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
      // Any submission also publishes the unpublished review of the account.
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
      // Newest first, so that an older verdict counts again only for a moment.
      for (const given of standing.toReversed()) refused = (await takeBack(context, target, given, signal)) ?? refused;
      return refused;
    }),
});
