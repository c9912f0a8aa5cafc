/** Small payloads with just the fields that forges are known to send and Fixpoint reads. */
import type { DeliveryHeaders } from '../../../shared/webhooks/headers.ts';

export const HEAD = 'a'.repeat(40);
export const OLD_HEAD = 'b'.repeat(40);
export const THREAD = 'c'.repeat(40);

type Fields = Readonly<Record<string, unknown>>;

export const forgejoHeaders = (eventType: string, family: 'forgejo' | 'gitea' = 'forgejo'): DeliveryHeaders => ({
  'content-type': 'application/json',
  [`x-${family}-event-type`]: eventType,
});

export const gitlabHeaders = (event = 'Merge Request Hook'): DeliveryHeaders => ({
  'content-type': 'application/json',
  'x-gitlab-event': event,
});

export const forgejoPullRequest = (fields: Fields = {}, pullRequest: Fields = {}): Fields => ({
  action: 'opened',
  number: 7,
  pull_request: {
    title: 'Count the widgets',
    draft: false,
    merged: false,
    head: { sha: HEAD },
    updated_at: '2026-05-01T10:00:00Z',
    ...pullRequest,
  },
  repository: { id: 3, full_name: 'acme/widgets' },
  sender: { id: 11 },
  ...fields,
});

export const forgejoComment = (fields: Fields = {}): Fields => ({
  action: 'created',
  issue: { number: 7 },
  comment: { id: 99, updated_at: '2026-05-01T10:00:00Z' },
  is_pull: true,
  repository: { id: 3, full_name: 'acme/widgets' },
  sender: { id: 11 },
  ...fields,
});

const PROJECT = { id: 3, path_with_namespace: 'acme/widgets' };

export const gitlabMergeRequest = (attributes: Fields = {}, fields: Fields = {}): Fields => ({
  object_kind: 'merge_request',
  event_type: 'merge_request',
  user: { id: 11 },
  project: PROJECT,
  object_attributes: {
    iid: 7,
    action: 'open',
    target_project_id: 3,
    updated_at: '2026-05-01 10:00:00 UTC',
    last_commit: { id: HEAD },
    ...attributes,
  },
  ...fields,
});

export const gitlabUpdate = (changes: Fields, attributes: Fields = {}): Fields =>
  gitlabMergeRequest({ action: 'update', ...attributes }, { changes });

export const gitlabNote = (attributes: Fields = {}, fields: Fields = {}): Fields => ({
  object_kind: 'note',
  event_type: 'note',
  user: { id: 11 },
  project_id: 3,
  project: PROJECT,
  object_attributes: {
    id: 99,
    noteable_type: 'MergeRequest',
    action: 'create',
    author_id: 11,
    system: false,
    internal: false,
    updated_at: '2026-05-01 10:00:00 UTC',
    discussion_id: THREAD,
    ...attributes,
  },
  merge_request: { iid: 7, target_project_id: 3, last_commit: { id: HEAD } },
  ...fields,
});

export const gitlabEmoji = (attributes: Fields = {}, fields: Fields = {}): Fields => ({
  object_kind: 'emoji',
  event_type: 'award',
  user: { id: 11 },
  project: PROJECT,
  object_attributes: { id: 5, action: 'award', awardable_type: 'Note', awardable_id: 99, ...attributes },
  merge_request: { iid: 7, target_project_id: 3, last_commit: { id: HEAD } },
  ...fields,
});

export const gitlabPipeline = (attributes: Fields = {}, fields: Fields = {}): Fields => ({
  object_kind: 'pipeline',
  user: { id: 11 },
  project: PROJECT,
  object_attributes: { id: 31, sha: HEAD, status: 'success', finished_at: '2026-05-01 10:09:00 UTC', ...attributes },
  merge_request: { iid: 7, target_project_id: 3 },
  ...fields,
});
