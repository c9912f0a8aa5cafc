/** GL lib/api/notes.rb. */
import { z } from 'zod';
import { empty, json, type Reply } from '../forgejo/reply.ts';
import { type Call, mergeRequestOf, numberParam, type Route, sentAs, signedIn } from './call.ts';
import { notFound } from './errors.ts';
import { findNote } from './find.ts';
import { createNote, deleteNote, mayReadNote, updateNote } from './notes.ts';
import { paged, settledFor } from './paging.ts';
import { flag, text } from './parameters.ts';
import { spendNote } from './rate-limits.ts';
import { noteJson } from './represent.ts';
import type { SimMergeRequest, SimNote } from './world.ts';
import { replyWritten } from './written.ts';

const Order = z.object({
  order_by: z.enum(['created_at', 'updated_at']).default('created_at'),
  sort: z.enum(['asc', 'desc']).default('desc'),
  activity_filter: z.enum(['all_notes', 'only_comments', 'only_activity']).default('all_notes'),
});

const listed = (call: Call): Reply => {
  const mr = mergeRequestOf(call);
  signedIn(call);
  const { order_by, sort, activity_filter } = sentAs(call, Order);
  const key = order_by === 'created_at' ? 'createdAt' : 'updatedAt';
  const sign = sort === 'asc' ? 1 : -1;
  const notes = mr.notes
    .filter(settledFor(call))
    .filter((note) => activity_filter === 'all_notes' || note.system === (activity_filter === 'only_activity'))
    .toSorted((left, right) => sign * (left[key] - right[key] || left.id - right.id));
  // GL lib/api/notes.rb: notes that the reader may not see are removed after paging.
  return paged(call, notes, (page) =>
    page.filter((note) => mayReadNote(mr, note, call.user)).map((note) => noteJson(call.world, mr, note)),
  );
};

const noteOf = (call: Call): { readonly mr: SimMergeRequest; readonly note: SimNote } => {
  const mr = mergeRequestOf(call);
  signedIn(call);
  const note = findNote(mr, numberParam(call, 'note_id'));
  if (!mayReadNote(mr, note, call.user)) throw notFound('Note');
  return { mr, note };
};

const create = async (call: Call): Promise<Reply> => {
  const author = signedIn(call);
  spendNote(call.world, author);
  const mr = mergeRequestOf(call);
  const sent = sentAs(call, z.object({ body: text, internal: flag.optional(), confidential: flag.optional() }));
  const internal = sent.internal ?? sent.confidential ?? false;
  const written = await createNote(call.world, mr, { author, body: sent.body, as: { kind: 'single' }, internal });
  return replyWritten(call.world, written, (note) => noteJson(call.world, mr, note));
};

const change = async (call: Call): Promise<Reply> => {
  const { mr, note } = noteOf(call);
  const { body } = sentAs(call, z.object({ body: text }));
  const written = await updateNote(call.world, { mr, note }, body, signedIn(call));
  return replyWritten(call.world, written, (changed) => noteJson(call.world, mr, changed), 200);
};

const at = '/projects/{id}/merge_requests/{iid}/notes';
const described = '/projects/{id}/merge_requests/{noteable_id}/notes';

export const noteRoutes: readonly Route[] = [
  { method: 'GET', path: at, described, handle: listed },
  { method: 'POST', path: at, described, handle: create },
  {
    method: 'GET',
    path: `${at}/{note_id}`,
    described: `${described}/{note_id}`,
    handle: (call) => {
      const { mr, note } = noteOf(call);
      return json(200, noteJson(call.world, mr, note));
    },
  },
  { method: 'PUT', path: `${at}/{note_id}`, described: `${described}/{note_id}`, handle: change },
  {
    method: 'DELETE',
    path: `${at}/{note_id}`,
    described: `${described}/{note_id}`,
    handle: (call) => {
      deleteNote(call.world, noteOf(call), signedIn(call));
      return empty(204);
    },
  },
];
