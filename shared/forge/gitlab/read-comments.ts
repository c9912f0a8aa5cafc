import type { ForgeComment } from '../port-facts.ts';
import type { ReadsComments } from '../port.ts';
import { type GitlabContext, toAccountOrNull } from './api/context.ts';
import { fetchDiscussions } from './discussions.ts';
import type { ApiDiscussion, ApiNote, ApiPosition } from './api/schema.ts';

/** Prefers the new side, because an unchanged line has both numbers. */
const placeOf = (position: ApiPosition | null | undefined): ForgeComment['place'] => {
  if (position?.position_type !== 'text') return null;
  const { new_line: newLine, new_path: newPath, old_line: oldLine, old_path: oldPath } = position;
  if (newLine && newPath) return { path: newPath, side: 'new', line: newLine };
  return oldLine && oldPath ? { path: oldPath, side: 'old', line: oldLine } : null;
};

/** Internal notes are ignored, because they are visible to members only and public comments of the bot could repeat them. */
const isInternal = ({ internal, confidential }: ApiNote): boolean => internal === true || confidential === true;

/** Returns null when the discussion cannot be resolved. A thread is resolved when all its resolvable notes are resolved. */
const resolvedOf = ({ individual_note: isSingle, notes }: ApiDiscussion): boolean | null => {
  const resolvable = notes.filter((note) => note.resolvable === true);
  return isSingle || resolvable.length === 0 ? null : resolvable.every((note) => note.resolved === true);
};

/** A plain comment gets no thread id: a reply would turn it into a thread, and an unresolved thread can block the merge. */
const fromDiscussion = (discussion: ApiDiscussion, changeUrl: string): readonly ForgeComment[] => {
  const resolved = resolvedOf(discussion);
  const told = discussion.notes.filter((note) => !note.system && !isInternal(note));
  return told.map((note) => ({
    id: String(note.id),
    kind: note.position === null || note.position === undefined ? 'conversation' : 'inline',
    threadId: discussion.individual_note ? null : discussion.id,
    author: toAccountOrNull(note.author),
    body: note.body,
    createdAtMs: note.created_at,
    updatedAtMs: note.updated_at,
    place: placeOf(note.position),
    resolved,
    webUrl: `${changeUrl}#note_${note.id}`,
  }));
};

export const readsComments = (context: GitlabContext): ReadsComments => ({
  fetchComments: async (of, signal) => {
    const discussions = await fetchDiscussions(context, of, signal);
    const changeUrl = `${await context.projectUrl(of.projectId, signal)}/-/merge_requests/${of.number}`;
    return discussions
      .flatMap((discussion) => fromDiscussion(discussion, changeUrl))
      .toSorted((left, right) => Number(left.id) - Number(right.id));
  },
});
