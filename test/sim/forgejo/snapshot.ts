/** What a change request shows, without ids and times, for comparing two runs. */
import type { SimComment, SimPull, SimReview } from './world.ts';
import { latestStatuses } from './statuses.ts';

export type SnapshotInline = {
  readonly author: string;
  readonly path: string;
  readonly side: 'new' | 'old';
  /** The sent line, not the blamed one. */
  readonly line: number;
  readonly body: string;
  readonly resolved: boolean;
};

export type Snapshot = {
  readonly head: string;
  readonly comments: readonly { readonly author: string; readonly body: string }[];
  readonly reviews: readonly {
    readonly author: string;
    readonly state: string;
    readonly body: string;
    readonly commit: string;
    readonly inline: readonly SnapshotInline[];
  }[];
  readonly statuses: readonly {
    readonly sha: string;
    readonly context: string;
    readonly state: string;
    readonly description: string;
  }[];
  /** The newest status per context at the current head. */
  readonly headStatuses: Readonly<Record<string, string>>;
};

const inline = (comment: SimComment): SnapshotInline[] => {
  const { code } = comment;
  if (code === null) return [];
  const { path, sentLine } = code;
  const side = sentLine < 0 ? 'old' : 'new';
  const author = comment.author.login;
  return [{ author, path, side, line: Math.abs(sentLine), body: comment.body, resolved: comment.resolver !== null }];
};

/** As the page shows it: an edit changes only the comment of the review, and a published review may have lost it. */
const shownBody = ({ comments }: SimPull, { timelineId, state, body }: SimReview): string => {
  const isDeleted = timelineId === 0 && state !== 'PENDING';
  return isDeleted ? '' : (comments.find(({ id }) => id === timelineId)?.body ?? body);
};

export const snapshotOf = (pull: SimPull): Snapshot => ({
  head: pull.headSha,
  comments: pull.comments
    .filter((comment) => comment.kind === 'comment')
    .map((comment) => ({ author: comment.author.login, body: comment.body })),
  reviews: pull.reviews.map((review) => ({
    author: review.author.login,
    state: review.state,
    body: shownBody(pull, review),
    commit: review.commitId,
    inline: pull.comments.filter((comment) => comment.code?.reviewId === review.id).flatMap(inline),
  })),
  statuses: pull.repo.statuses
    .filter((status) => pull.heads.includes(status.sha))
    .map(({ sha, context, state, description }) => ({ sha, context, state, description })),
  headStatuses: Object.fromEntries(
    latestStatuses(pull.repo, pull.headSha).map((status) => [status.context, status.state]),
  ),
});
