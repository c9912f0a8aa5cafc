/** `note` and `emoji` events (GL lib/gitlab/data_builder/note_builder.rb; forges.md 2.5, 2.6). */
import { mergeRequestUrl } from './mr-facts.ts';
import { hookMergeRequest } from './payload-merge-request.ts';
import { hookProject, hookRepository, hookTime, hookUser, type Json } from './payload-parts.ts';
import { fireHooks } from './webhooks.ts';
import type { SimAward, SimMergeRequest, SimNote, World } from './world.ts';

export const noteUrl = (world: World, mr: SimMergeRequest, note: SimNote): string =>
  `${mergeRequestUrl(world, mr)}#note_${note.id}`;

const hookNote = (world: World, mr: SimMergeRequest, note: SimNote): Json => ({
  attachment: null,
  author_id: note.author.id,
  change_position: null,
  commit_id: null,
  created_at: hookTime(note.createdAt),
  discussion_id: note.discussionId,
  id: note.id,
  internal: note.internal,
  line_code: note.lineCode,
  note: note.body,
  noteable_id: mr.id,
  noteable_type: 'MergeRequest',
  original_position: note.originalPosition,
  position: note.position,
  project_id: mr.project.id,
  resolved_at: note.resolvedAt === null ? null : hookTime(note.resolvedAt),
  resolved_by_id: note.resolvedBy?.id ?? null,
  resolved_by_push: null,
  st_diff: null,
  system: note.system,
  type: note.type,
  updated_at: hookTime(note.updatedAt),
  updated_by_id: null,
  description: note.body,
  url: noteUrl(world, mr, note),
});

/** `user` is the note's author, even when someone else edited it. Internal notes have their own event. */
export const fireNote = async (
  world: World,
  mr: SimMergeRequest,
  note: SimNote,
  action: 'create' | 'update',
): Promise<void> => {
  const payload = {
    object_kind: 'note',
    event_type: note.internal ? 'confidential_note' : 'note',
    user: hookUser(note.author),
    project_id: mr.project.id,
    project: hookProject(world, mr.project),
    object_attributes: { ...hookNote(world, mr, note), action },
    repository: hookRepository(world, mr.project),
    merge_request: await hookMergeRequest(world, mr),
  };
  const event = note.internal
    ? ({ flag: 'confidential_note_events', name: 'Confidential Note Hook' } as const)
    : ({ flag: 'note_events', name: 'Note Hook' } as const);
  fireHooks(world, mr.project, { ...event, payload });
};

export type Awarded = { readonly mr: SimMergeRequest; readonly note: SimNote | null };

/** Has no `action`, unlike the documentation's example (GL lib/gitlab/hook_data/emoji_builder.rb). */
export const fireEmoji = async (
  world: World,
  on: Awarded,
  award: SimAward,
  action: 'award' | 'revoke',
): Promise<void> => {
  const { mr, note } = on;
  const payload = {
    object_kind: 'emoji',
    event_type: action,
    user: hookUser(award.user),
    project_id: mr.project.id,
    project: hookProject(world, mr.project),
    object_attributes: {
      user_id: award.user.id,
      created_at: hookTime(award.createdAt),
      id: award.id,
      name: award.name,
      awardable_type: note === null ? 'MergeRequest' : 'Note',
      awardable_id: note?.id ?? mr.id,
      updated_at: hookTime(award.createdAt),
      awarded_on_url: note === null ? mergeRequestUrl(world, mr) : noteUrl(world, mr, note),
    },
    ...(note === null ? {} : { note: hookNote(world, mr, note) }),
    merge_request: await hookMergeRequest(world, mr),
  };
  fireHooks(world, mr.project, { flag: 'emoji_events', name: 'Emoji Hook', payload });
};
