import { createHash } from 'node:crypto';
import { nextId } from './log.ts';
import type { SimMergeRequest, SimNote, SimUser, World } from './world.ts';

/** Stable, and as long as the real ones: 40 hexadecimal digits. */
export const newDiscussionId = (mr: SimMergeRequest, noteId: number): string =>
  createHash('sha1').update(`merge_request/${mr.id}/${noteId}`).digest('hex');

/** The forge's own words in the listing of notes; they fire no hook (forges.md 2.5). */
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
