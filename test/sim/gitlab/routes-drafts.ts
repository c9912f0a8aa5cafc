/** GL lib/api/draft_notes.rb; forges.md 3.4. */
import { z } from 'zod';
import { empty, json, type Reply } from '../forgejo/reply.ts';
import { type Call, mergeRequestOf, numberParam, type Route, sentAs, signedIn } from './call.ts';
import { badParameter, badRequest, notFound } from './errors.ts';
import { changeDraft, createDraft, draftsBy, dropDraft, publishDrafts } from './drafts.ts';
import { settledFor } from './paging.ts';
import { flag, optionalText, text } from './parameters.ts';
import { PositionParameter, positionOrNull } from './positions.ts';
import { draftJson } from './represent.ts';
import type { SimDraft, SimMergeRequest } from './world.ts';

const New = z.object({
  note: text,
  position: PositionParameter.nullish(),
  in_reply_to_discussion_id: optionalText,
  resolve_discussion: flag.nullish(),
});

const create = async (call: Call): Promise<Reply> => {
  const author = signedIn(call);
  const mr = mergeRequestOf(call);
  const sent = sentAs(call, New);
  const draft = await createDraft(call.world, mr, {
    author,
    note: sent.note,
    position: positionOrNull(sent.position),
    inReplyTo: sent.in_reply_to_discussion_id ?? null,
    resolveDiscussion: sent.resolve_discussion ?? false,
  });
  return json(201, draftJson(mr, draft));
};

const draftOf = (call: Call): { readonly mr: SimMergeRequest; readonly draft: SimDraft } => {
  const mr = mergeRequestOf(call);
  const id = numberParam(call, 'draft_note_id');
  const draft = draftsBy(mr, signedIn(call)).find((candidate) => candidate.id === id);
  if (draft === undefined) throw notFound('Not found');
  return { mr, draft };
};

const change = async (call: Call): Promise<Reply> => {
  const { mr, draft } = draftOf(call);
  const sent = sentAs(call, z.object({ note: text.optional(), position: PositionParameter.nullish() }));
  if (sent.note === undefined) throw badRequest('Missing params to modify');
  if (sent.note.trim() === '') throw badParameter('note is empty');
  // A request without a position removes the draft's position.
  const position = positionOrNull(sent.position);
  await changeDraft(call.world, { mr, draft }, sent.note, position);
  return json(200, draftJson(mr, draft));
};

const at = '/projects/{id}/merge_requests/{iid}/draft_notes';
const described = '/projects/{id}/merge_requests/{merge_request_iid}/draft_notes';

export const draftRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: at,
    described,
    // Never paged, even when a page is requested (forges.md 3.1).
    handle: (call) => {
      const mr = mergeRequestOf(call);
      const drafts = draftsBy(mr, signedIn(call)).filter(settledFor(call));
      return json(
        200,
        drafts.map((draft) => draftJson(mr, draft)),
      );
    },
  },
  { method: 'POST', path: at, described, handle: create },
  {
    method: 'POST',
    path: `${at}/bulk_publish`,
    described: `${described}/bulk_publish`,
    handle: async (call) => {
      const mr = mergeRequestOf(call);
      const author = signedIn(call);
      await publishDrafts(call.world, mr, author, draftsBy(mr, author));
      return empty(204);
    },
  },
  {
    method: 'GET',
    path: `${at}/{draft_note_id}`,
    described: `${described}/{draft_note_id}`,
    handle: (call) => {
      const { mr, draft } = draftOf(call);
      return json(200, draftJson(mr, draft));
    },
  },
  { method: 'PUT', path: `${at}/{draft_note_id}`, described: `${described}/{draft_note_id}`, handle: change },
  {
    method: 'DELETE',
    path: `${at}/{draft_note_id}`,
    described: `${described}/{draft_note_id}`,
    handle: (call) => {
      const { mr, draft } = draftOf(call);
      dropDraft(call.world, mr, draft);
      return empty(204);
    },
  },
  {
    method: 'PUT',
    path: `${at}/{draft_note_id}/publish`,
    described: `${described}/{draft_note_id}/publish`,
    handle: async (call) => {
      const { mr, draft } = draftOf(call);
      await publishDrafts(call.world, mr, draft.author, [draft], false);
      return empty(204);
    },
  },
];
