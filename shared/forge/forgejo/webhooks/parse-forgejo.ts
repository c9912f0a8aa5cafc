/**
 * Events are distinguished by the header `…-Event-Type`. In that header, `pull_request_comment` means a comment, but in
 * `…-Event` it means a review.
 * https://forgejo.org/docs/latest/user/webhooks/
 */
import { z } from 'zod';
import type { ForgeEventKind } from '../../../rounds/model/events.ts';
import type { EventDelivery, ParsedDelivery } from '../../../webhooks/event.ts';
import { AccountId, Id, ignored, OptionalFlag, OptionalSha, OptionalText, unfit } from '../../../webhooks/fields.ts';
import { type DeliveryHeaders, readHeader } from '../../../webhooks/headers.ts';
import { digestOf } from '../../../webhooks/dedup-key.ts';

const Account = z.object({ id: AccountId, login: OptionalText });

const Repository = z.object({ id: Id, full_name: OptionalText });

const PullRequest = z.object({
  title: OptionalText,
  draft: OptionalFlag,
  merged: OptionalFlag,
  head: z.object({ sha: OptionalSha }).nullish(),
  updated_at: OptionalText,
  labels: z.unknown().optional(),
  milestone: z.unknown().optional(),
});

const PullRequestPayload = z.object({
  action: z.string(),
  number: Id,
  /** Null when the forge cannot load the pull request, for example while its repository is renamed. */
  pull_request: PullRequest.nullish(),
  repository: Repository,
  sender: Account.nullish(),
  requested_reviewer: Account.nullish(),
  review: z.object({ type: OptionalText, content: OptionalText }).nullish(),
  changes: z.unknown().optional(),
  /** The head that a push replaced. Sent since Gitea 1.27. */
  before: OptionalText,
});
type PullRequestPayload = z.output<typeof PullRequestPayload>;

const CommentPayload = z.object({
  action: z.string(),
  issue: z.object({ number: Id }),
  comment: z.object({ id: Id, updated_at: OptionalText }),
  pull_request: PullRequest.nullish(),
  repository: Repository,
  sender: Account.nullish(),
});

const Changes = z
  .object({
    ref: z.unknown().optional(),
    title: z.object({ from: OptionalText }).nullish(),
    body: z.unknown().optional(),
  })
  .catch({ ref: undefined, title: undefined, body: undefined });

export const parseForgejo = (headers: DeliveryHeaders, body: unknown): ParsedDelivery => {
  if (readHeader(headers, 'x-gitlab-event') !== null) return ignored('the delivery comes from another kind of forge');
  const eventType = readHeader(headers, 'x-forgejo-event-type') ?? readHeader(headers, 'x-gitea-event-type');
  switch (eventType) {
    case null:
      return ignored('the delivery names no event type');
    case 'pull_request':
    case 'pull_request_sync':
    case 'pull_request_label':
    case 'pull_request_milestone':
    case 'pull_request_review_request':
    case 'pull_request_review_approved':
    case 'pull_request_review_rejected':
    case 'pull_request_review_comment':
      return parsePullRequest(body);
    case 'pull_request_comment':
      // Old releases of Gitea also use this name for a review that only comments.
      return isReview(body) ? parsePullRequest(body) : parseComment(body);
    case 'pull_request_assign':
      return ignored('assignees do not matter to a review');
    default:
      return ignored('the event is not about a change request');
  }
};

const isReview = (body: unknown): boolean => z.object({ action: z.literal('reviewed') }).safeParse(body).success;

const parsePullRequest = (body: unknown): ParsedDelivery => {
  const parsed = PullRequestPayload.safeParse(body);
  if (!parsed.success) return unfit(parsed.error);
  const payload = parsed.data;
  switch (payload.action) {
    case 'opened':
    case 'reopened':
      return pullRequestEvent(payload.action, payload);
    case 'closed':
      return pullRequestEvent(kindOfClosing(payload), payload);
    case 'synchronized':
      return pullRequestEvent('pushed', payload);
    case 'edited':
      return pullRequestEvent(kindOfEdit(payload), payload);
    case 'label_updated':
    case 'label_cleared':
    case 'milestoned':
    case 'demilestoned':
      return pullRequestEvent('metadata', payload);
    case 'review_requested':
      return parseReviewRequest(payload);
    case 'reviewed':
      return pullRequestEvent('human_review', payload);
    case 'review_request_removed':
      return ignored('a review is no longer requested');
    default:
      return ignored('the action on the change request is not known');
  }
};

const kindOfClosing = ({ pull_request: pull }: PullRequestPayload): ForgeEventKind =>
  pull?.merged === true ? 'merged' : 'closed';

/** `requested_reviewer` is null when a team is asked to review. */
const parseReviewRequest = (payload: PullRequestPayload): ParsedDelivery => {
  const reviewerId = payload.requested_reviewer?.id ?? null;
  if (reviewerId === null) return ignored('the review is requested from a team');
  const delivery = pullRequestEvent('review_requested', payload);
  const actorLogin = payload.sender?.login || undefined;
  const asking = { requestedReviewerId: reviewerId, ...(actorLogin === undefined ? {} : { actorLogin }) };
  return { ...delivery, event: { ...delivery.event, ...asking } };
};

/** The forges' default prefixes. A change to any other prefix counts as metadata. */
const DRAFT_TITLE = /^\s*(?:wip:|\[wip\]|draft:|\[draft\])/i;

const kindOfEdit = ({ changes, pull_request: pullRequest }: PullRequestPayload): ForgeEventKind => {
  const { ref, title } = Changes.parse(changes ?? {});
  if (ref !== undefined && ref !== null) return 'retargeted';
  if (title === undefined || title === null) return 'metadata';
  const wasDraft = DRAFT_TITLE.test(title.from);
  if (pullRequest === null || pullRequest === undefined) return 'metadata';
  const isDraft = pullRequest.draft ?? DRAFT_TITLE.test(pullRequest.title);
  if (wasDraft === isDraft) return 'metadata';
  return isDraft ? 'became_draft' : 'ready';
};

const pullRequestEvent = (kind: ForgeEventKind, payload: PullRequestPayload): EventDelivery => ({
  kind: 'event',
  event: {
    projectId: payload.repository.id,
    number: payload.number,
    kind,
    head: payload.pull_request?.head?.sha ?? null,
    noteId: null,
    actorId: payload.sender?.id ?? null,
    requestedReviewerId: null,
    threadHint: null,
  },
  projectPath: payload.repository.full_name || null,
  contentHash: digestOf([
    payload.action,
    payload.pull_request?.updated_at,
    payload.pull_request?.labels,
    payload.pull_request?.milestone,
    payload.before,
    payload.changes,
    payload.review?.type,
    payload.review?.content,
  ]),
});

const parseComment = (body: unknown): ParsedDelivery => {
  const parsed = CommentPayload.safeParse(body);
  if (!parsed.success) return unfit(parsed.error);
  const payload = parsed.data;
  if (payload.action === 'deleted') return ignored('the comment was deleted');
  if (payload.action !== 'created' && payload.action !== 'edited')
    return ignored('the action on the comment is not known');
  return {
    kind: 'event',
    event: {
      projectId: payload.repository.id,
      number: payload.issue.number,
      kind: payload.action === 'created' ? 'comment' : 'comment_edited',
      head: payload.pull_request?.head?.sha ?? null,
      noteId: payload.comment.id,
      actorId: payload.sender?.id ?? null,
      requestedReviewerId: null,
      threadHint: null,
    },
    projectPath: payload.repository.full_name || null,
    contentHash: payload.action === 'created' ? '' : digestOf([payload.comment.updated_at]),
  };
};
