import { z } from 'zod';
import type { ParsedDelivery } from '../../../webhooks/event.ts';
import { AccountId, Id, ignored, OptionalFlag, OptionalSha, OptionalText, unfit } from '../../../webhooks/fields.ts';
import { GitlabProject, nameProject } from './project.ts';
import { digestOf } from '../../../webhooks/dedup-key.ts';

const MergeRequest = z.object({
  iid: Id,
  target_project_id: Id.nullish(),
  last_commit: z.object({ id: OptionalSha }).nullish().catch(null),
});

const ThreadHint = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .nullish()
  .catch(null)
  .transform((id) => id ?? null);

const NotePayload = z.object({
  event_type: OptionalText,
  user: z.object({ id: AccountId }).nullish(),
  project_id: Id.nullish(),
  project: GitlabProject,
  object_attributes: z.object({
    id: Id,
    noteable_type: OptionalText,
    /** Absent before GitLab 16.11; those releases report only new notes. */
    action: OptionalText,
    author_id: AccountId,
    system: OptionalFlag,
    internal: OptionalFlag,
    confidential: OptionalFlag,
    updated_at: OptionalText,
    discussion_id: ThreadHint,
  }),
  merge_request: MergeRequest.nullish(),
});
type NotePayload = z.output<typeof NotePayload>;

export const parseNote = (body: unknown): ParsedDelivery => {
  const parsed = NotePayload.safeParse(body);
  if (!parsed.success) return unfit(parsed.error);
  const { event_type: eventType, object_attributes: note } = parsed.data;
  if (note.noteable_type !== 'MergeRequest') return ignored('the comment is not on a change request');
  if (eventType === 'confidential_note' || note.internal === true || note.confidential === true) {
    return ignored('the comment is internal: an answer would be public');
  }
  if (note.system === true) return ignored('the comment was written by the forge itself');
  switch (note.action) {
    case '':
    case 'create':
      return noteEvent('comment', parsed.data);
    case 'update':
      return noteEvent('comment_edited', parsed.data);
    default:
      return ignored('the action on the comment is not known');
  }
};

const noteEvent = (kind: 'comment' | 'comment_edited', payload: NotePayload): ParsedDelivery => {
  const { merge_request: mergeRequest, object_attributes: note, user } = payload;
  const project = payload.project ?? { id: payload.project_id, path_with_namespace: '' };
  const named = nameProject(project, mergeRequest?.target_project_id ?? payload.project_id);
  if (named === null || !mergeRequest) return ignored('the payload names no change request');
  return {
    kind: 'event',
    event: {
      projectId: named.projectId,
      number: mergeRequest.iid,
      kind,
      head: mergeRequest.last_commit?.id ?? null,
      noteId: note.id,
      actorId: user?.id ?? note.author_id,
      requestedReviewerId: null,
      threadHint: note.discussion_id,
    },
    projectPath: named.projectPath,
    contentHash: kind === 'comment' ? '' : digestOf([note.updated_at]),
  };
};

const EmojiPayload = z.object({
  event_type: OptionalText,
  user: z.object({ id: AccountId }).nullish(),
  project: GitlabProject,
  object_attributes: z.object({
    id: Id,
    action: OptionalText,
    awardable_type: OptionalText,
    awardable_id: Id,
  }),
  merge_request: MergeRequest.nullish(),
});

export const parseEmoji = (body: unknown): ParsedDelivery => {
  const parsed = EmojiPayload.safeParse(body);
  if (!parsed.success) return unfit(parsed.error);
  const { event_type: eventType, merge_request: mergeRequest, object_attributes: award, user } = parsed.data;
  const onNote = award.awardable_type === 'Note';
  if (!mergeRequest || !(onNote || award.awardable_type === 'MergeRequest')) {
    return ignored('the reaction is not on a change request');
  }
  const named = nameProject(parsed.data.project, mergeRequest.target_project_id);
  if (named === null) return ignored('the payload names no project');
  return {
    kind: 'event',
    event: {
      projectId: named.projectId,
      number: mergeRequest.iid,
      kind: 'reaction',
      head: mergeRequest.last_commit?.id ?? null,
      noteId: onNote ? award.awardable_id : null,
      actorId: user?.id ?? null,
      requestedReviewerId: null,
      threadHint: null,
    },
    projectPath: named.projectPath,
    contentHash: digestOf([award.id, award.action || eventType]),
  };
};
