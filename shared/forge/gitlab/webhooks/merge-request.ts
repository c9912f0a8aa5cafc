import { z } from 'zod';
import { hasDraftTitle } from '../api/draft-title.ts';
import type { ForgeEventKind } from '../../../rounds/model/events.ts';
import type { ParsedDelivery } from '../../../webhooks/event.ts';
import { AccountId, Id, ignored, OptionalFlag, OptionalSha, OptionalText, unfit } from '../../../webhooks/fields.ts';
import { GitlabProject, nameProject } from './project.ts';
import { requestedReviewers } from './reviewers.ts';
import { digestOf } from '../../../webhooks/dedup-key.ts';

const MergeRequestPayload = z.object({
  user: z.object({ id: AccountId }).nullish(),
  project: GitlabProject,
  object_attributes: z.object({
    iid: Id,
    action: OptionalText,
    oldrev: OptionalText,
    system: OptionalFlag,
    updated_at: OptionalText,
    target_project_id: Id.nullish(),
    target: z.object({ path_with_namespace: OptionalText }).nullish().catch(null),
    last_commit: z.object({ id: OptionalSha }).nullish(),
  }),
  changes: z.unknown().optional(),
});
type MergeRequestPayload = z.output<typeof MergeRequestPayload>;

const Changes = z
  .object({
    draft: z.object({ current: OptionalFlag }).nullish().catch(null),
    /** The field `draft` had this name before GitLab 13.2. */
    work_in_progress: z.object({ current: OptionalFlag }).nullish().catch(null),
    /** The oldest releases show a draft only by its title. */
    title: z.object({ previous: OptionalText, current: OptionalText }).nullish().catch(null),
    target_branch: z.unknown().optional(),
    reviewers: z.unknown().optional(),
  })
  .catch({ draft: null, work_in_progress: null, title: null, target_branch: undefined, reviewers: undefined });
type Changes = z.output<typeof Changes>;

export const parseMergeRequest = (body: unknown): ParsedDelivery => {
  const parsed = MergeRequestPayload.safeParse(body);
  if (!parsed.success) return unfit(parsed.error);
  const payload = parsed.data;
  switch (payload.object_attributes.action) {
    case 'open':
      return mergeRequestEvent('opened', payload);
    case 'reopen':
      return mergeRequestEvent('reopened', payload);
    case 'close':
      return mergeRequestEvent('closed', payload);
    case 'merge':
      return mergeRequestEvent('merged', payload);
    case 'update':
      return parseUpdate(payload);
    case 'approved':
    case 'approval':
    case 'unapproved':
    case 'unapproval':
      return parseApproval(payload);
    default:
      return ignored('the action on the change request is not known');
  }
};

const parseApproval = (payload: MergeRequestPayload): ParsedDelivery =>
  payload.object_attributes.system === true
    ? ignored('the forge itself took approvals back')
    : mergeRequestEvent('human_review', payload);

/** One update can contain several changes. The most important change sets the kind; the reader fetches all facts anyway. */
const parseUpdate = (payload: MergeRequestPayload): ParsedDelivery => {
  const { oldrev, system } = payload.object_attributes;
  const changes = Changes.parse(payload.changes ?? {});
  const reviewers = requestedReviewers(changes.reviewers);
  if (oldrev.length === 0 && system === true) return ignored('the forge itself took approvals back');
  const delivery = mergeRequestEvent(oldrev.length > 0 ? 'pushed' : kindOfUpdate(changes, reviewers), payload);
  if (delivery.kind !== 'event') return delivery;
  const [only] = reviewers;
  const requestedReviewerId = reviewers.length === 1 && only !== undefined ? only : null;
  return { ...delivery, event: { ...delivery.event, requestedReviewerId } };
};

const kindOfUpdate = (changes: Changes, reviewers: readonly number[]): ForgeEventKind => {
  const becomesDraft = draftChange(changes);
  if (becomesDraft === false) return 'ready';
  if (reviewers.length > 0) return 'review_requested';
  if (becomesDraft === true) return 'became_draft';
  return changes.target_branch === undefined ? 'metadata' : 'retargeted';
};

/** Whether the change request became a draft (true) or ready (false). Returns null when neither happened. */
const draftChange = ({ draft, work_in_progress: wip, title }: Changes): boolean | null => {
  const told = draft?.current ?? wip?.current ?? null;
  if (told !== null || title === null || title === undefined) return told;
  const isDraft = hasDraftTitle(title.current);
  return isDraft === hasDraftTitle(title.previous) ? null : isDraft;
};

const mergeRequestEvent = (kind: ForgeEventKind, payload: MergeRequestPayload): ParsedDelivery => {
  const attributes = payload.object_attributes;
  const named = nameProject(payload.project, attributes.target_project_id);
  if (named === null) return ignored('the payload names no project');
  return {
    kind: 'event',
    event: {
      projectId: named.projectId,
      number: attributes.iid,
      kind,
      head: attributes.last_commit?.id ?? null,
      noteId: null,
      actorId: payload.user?.id ?? null,
      requestedReviewerId: null,
      threadHint: null,
    },
    projectPath: named.projectPath ?? (attributes.target?.path_with_namespace || null),
    contentHash: digestOf([attributes.action, attributes.updated_at, attributes.oldrev, payload.changes]),
  };
};
