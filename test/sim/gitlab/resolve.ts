/** Resolves threads. Replies never change that state (GL app/services/discussions; forges.md 3.1, 3.4). */
import { sendMail } from './mails.ts';
import { mayAct } from './access.ts';
import { forbidden } from './errors.ts';
import { discussionNotes } from './find.ts';
import { allResolved, isResolvable, isResolved } from './mr-facts.ts';
import { fireMergeRequest } from './payload-merge-request.ts';
import { systemNote } from './system-notes.ts';
import { logOn } from './log.ts';
import type { SimMergeRequest, SimNote, SimUser, World } from './world.ts';

/** Developers, the merge request's author, and the thread's author (GL app/policies/note_policy.rb). */
export const mayResolve = (mr: SimMergeRequest, first: SimNote | undefined, user: SimUser): boolean =>
  first !== undefined &&
  isResolvable(first) &&
  (mayAct(user, mr.project, 30) || mr.author === user || first.author === user);

/** When the last open thread is resolved, an `update` event without changes is sent (forges.md 2.4). */
export const tellAllResolved = async (world: World, mr: SimMergeRequest, user: SimUser): Promise<void> => {
  if (!mr.notes.some(isResolvable) || !allResolved(mr)) return;
  systemNote(world, mr, user, 'resolved all threads');
  sendMail(world, mr, { kind: 'mail.all_resolved', by: user });
  await fireMergeRequest(world, mr, { action: 'update', user });
};

const mark = (world: World, note: SimNote, by: SimUser | null): void => {
  note.resolvedBy = by;
  note.resolvedAt = by === null ? null : world.clock();
};

export type Thread = { readonly mr: SimMergeRequest; readonly discussionId: string };

export const setResolved = (world: World, thread: Thread, user: SimUser, resolved: boolean): boolean => {
  const { mr, discussionId } = thread;
  if (isResolved(mr, discussionId) === resolved) return false;
  for (const note of discussionNotes(mr, discussionId).filter(isResolvable))
    if ((note.resolvedAt !== null) !== resolved) mark(world, note, resolved ? user : null);
  const kind = resolved ? 'discussion.resolve' : 'discussion.unresolve';
  logOn(world, mr, user, { kind, detail: { discussion: discussionId } });
  mr.updatedAt = world.clock();
  return true;
};

export const resolveDiscussion = async (
  world: World,
  thread: Thread,
  user: SimUser,
  resolved: boolean,
): Promise<void> => {
  const { mr, discussionId } = thread;
  if (!mayResolve(mr, discussionNotes(mr, discussionId)[0], user)) throw forbidden();
  if (setResolved(world, thread, user, resolved) && resolved) await tellAllResolved(world, mr, user);
};

/** For one note: `PUT …/notes/:id` with `resolved`. */
export const resolveNote = async (
  world: World,
  on: { readonly mr: SimMergeRequest; readonly note: SimNote },
  user: SimUser,
  resolved: boolean,
): Promise<void> => {
  const { mr, note } = on;
  if (!mayResolve(mr, note, user)) throw forbidden();
  mark(world, note, resolved ? user : null);
  const kind = resolved ? 'discussion.resolve' : 'discussion.unresolve';
  logOn(world, mr, user, { kind, detail: { discussion: note.discussionId, note: note.id } });
  if (resolved) await tellAllResolved(world, mr, user);
};
