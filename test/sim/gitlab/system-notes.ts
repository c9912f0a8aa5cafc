import { createHash } from 'node:crypto';
import { nextId } from './log.ts';
import type { SimMergeRequest, SimNote, SimUser, World } from './world.ts';

/** Stable, with 40 hexadecimal digits like real ids. */
export const newDiscussionId = (mr: SimMergeRequest, noteId: number): string =>
  createHash('sha1').update(`merge_request/${mr.id}/${noteId}`).digest('hex');

/** Notes written by the forge itself; they send no event (forges.md 2.5). */
export const systemNote = (world: World, mr: SimMergeRequest, author: SimUser, body: string): SimNote => {
  const id = nextId(world, 'note');
  const at = world.clock();
  const note: SimNote = {
    id,
    type: null,
    author,
    body,
    discussionId: newDiscussionId(mr, id),
    system: true,
    internal: false,
    createdAt: at,
    updatedAt: at,
    position: null,
    originalPosition: null,
    lineCode: null,
    outdated: false,
    resolvedBy: null,
    resolvedAt: null,
    awards: [],
  };
  mr.notes.push(note);
  mr.updatedAt = at;
  return note;
};
