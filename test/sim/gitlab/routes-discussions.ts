/** GL lib/api/discussions.rb; forges.md 3.3, 3.4. */
import { z } from 'zod';
import { empty, json, type Reply } from '../forgejo/reply.ts';
import { type Call, mergeRequestOf, numberParam, param, type Route, sentAs, signedIn } from './call.ts';
import { badParameter, notFound } from './errors.ts';
import { discussionNotes, findNote } from './find.ts';
import { createNote, deleteNote, mayReadNote, requireResolvable, updateNote } from './notes.ts';
import { paged, settledFor } from './paging.ts';
import { flag, text } from './parameters.ts';
import { PositionParameter, positionOrNull } from './positions.ts';
import { discussionJson, noteJson } from './represent.ts';
import { resolveDiscussion, resolveNote } from './resolve.ts';
import type { SimMergeRequest, SimNote } from './world.ts';
import { replyWritten } from './written.ts';

/**
 * Pages of discussions, oldest first, including system notes. Notes that the reader may not see are removed after paging
 * (GL lib/api/discussions.rb: `paginate(noteable.discussion_ids_relation)`).
 */
const listed = (call: Call): Reply => {
  const mr = mergeRequestOf(call);
  signedIn(call);
  const threads = new Map<string, SimNote[]>();
  for (const note of mr.notes.filter(settledFor(call)))
    threads.set(note.discussionId, [...(threads.get(note.discussionId) ?? []), note]);
  return paged(call, [...threads.values()], (page) =>
    page
      .map((notes) => notes.filter((note) => mayReadNote(mr, note, call.user)))
      .filter((notes) => notes.length > 0)
      .map((notes) => discussionJson(call.world, mr, notes)),
  );
};

const one = (call: Call): { readonly mr: SimMergeRequest; readonly notes: readonly SimNote[] } => {
  const mr = mergeRequestOf(call);
  signedIn(call);
  const notes = discussionNotes(mr, param(call, 'discussion_id')).filter((note) => mayReadNote(mr, note, call.user));
  if (notes.length === 0) throw notFound('Discussion');
  return { mr, notes };
};

const New = z.object({ body: text, position: PositionParameter.nullish() });

const create = async (call: Call): Promise<Reply> => {
  const author = signedIn(call);
  const mr = mergeRequestOf(call);
  const sent = sentAs(call, New);
  const position = positionOrNull(sent.position);
  const as = position === null ? ({ kind: 'thread' } as const) : ({ kind: 'diff', position } as const);
  const written = await createNote(call.world, mr, { author, body: sent.body, as });
  return replyWritten(call.world, written, (note) =>
    discussionJson(call.world, mr, discussionNotes(mr, note.discussionId)),
  );
};

const answer = async (call: Call): Promise<Reply> => {
  const author = signedIn(call);
  const { mr } = one(call);
  const { body } = sentAs(call, z.object({ body: text }));
  const as = { kind: 'reply', discussionId: param(call, 'discussion_id') } as const;
  const written = await createNote(call.world, mr, { author, body, as });
  return replyWritten(call.world, written, (note) => noteJson(call.world, mr, note));
};

const resolve = async (call: Call): Promise<Reply> => {
  const { mr, notes } = one(call);
  const { resolved } = sentAs(call, z.object({ resolved: flag }));
  await resolveDiscussion(call.world, { mr, discussionId: param(call, 'discussion_id') }, signedIn(call), resolved);
  return json(200, discussionJson(call.world, mr, notes));
};

const noteOf = (call: Call): { readonly mr: SimMergeRequest; readonly note: SimNote } => {
  const { mr } = one(call);
  return { mr, note: findNote(mr, numberParam(call, 'note_id')) };
};

/** Requires exactly one of `body` and `resolved` (forges.md 3.4). */
const change = async (call: Call): Promise<Reply> => {
  const { mr, note } = noteOf(call);
  const sent = sentAs(call, z.object({ body: text.optional(), resolved: flag.optional() }));
  if ((sent.body === undefined) === (sent.resolved === undefined))
    throw badParameter(
      `body, resolved ${sent.body === undefined ? 'are missing, exactly one parameter must be provided' : 'are mutually exclusive'}`,
    );
  if (sent.body === undefined) {
    requireResolvable(note);
    await resolveNote(call.world, { mr, note }, signedIn(call), sent.resolved === true);
    return json(200, noteJson(call.world, mr, note));
  }
  const written = await updateNote(call.world, { mr, note }, sent.body, signedIn(call));
  return replyWritten(call.world, written, (changed) => noteJson(call.world, mr, changed), 200);
};

const at = '/projects/{id}/merge_requests/{iid}/discussions';
const described = '/projects/{id}/merge_requests/{noteable_id}/discussions';

export const discussionRoutes: readonly Route[] = [
  { method: 'GET', path: at, described, handle: listed },
  { method: 'POST', path: at, described, handle: create },
  {
    method: 'GET',
    path: `${at}/{discussion_id}`,
    described: `${described}/{discussion_id}`,
    handle: (call) => {
      const { mr, notes } = one(call);
      return json(200, discussionJson(call.world, mr, notes));
    },
  },
  { method: 'PUT', path: `${at}/{discussion_id}`, described: `${described}/{discussion_id}`, handle: resolve },
  {
    method: 'GET',
    path: `${at}/{discussion_id}/notes`,
    described: `${described}/{discussion_id}/notes`,
    handle: (call) => {
      const { mr, notes } = one(call);
      return json(
        200,
        notes.map((note) => noteJson(call.world, mr, note)),
      );
    },
  },
  {
    method: 'POST',
    path: `${at}/{discussion_id}/notes`,
    described: `${described}/{discussion_id}/notes`,
    handle: answer,
  },
  {
    method: 'GET',
    path: `${at}/{discussion_id}/notes/{note_id}`,
    described: `${described}/{discussion_id}/notes/{note_id}`,
    handle: (call) => {
      const { mr, note } = noteOf(call);
      return json(200, noteJson(call.world, mr, note));
    },
  },
  {
    method: 'PUT',
    path: `${at}/{discussion_id}/notes/{note_id}`,
    described: `${described}/{discussion_id}/notes/{note_id}`,
    handle: change,
  },
  {
    method: 'DELETE',
    path: `${at}/{discussion_id}/notes/{note_id}`,
    described: `${described}/{discussion_id}/notes/{note_id}`,
    handle: (call) => {
      deleteNote(call.world, noteOf(call), signedIn(call));
      return empty(204);
    },
  },
];
