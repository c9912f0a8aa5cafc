/** GL lib/api/award_emoji.rb; forges.md 3.7. */
import { z } from 'zod';
import { empty, json, type Reply } from '../forgejo/reply.ts';
import { awardNamed, awardsOf, removeAward } from './awards.ts';
import { type Call, mergeRequestOf, numberParam, type Route, sentAs, signedIn } from './call.ts';
import { notFound, unauthorized } from './errors.ts';
import { findNote } from './find.ts';
import { mayReadNote } from './notes.ts';
import type { Awarded } from './payload-notes.ts';
import { paged } from './paging.ts';
import { text } from './parameters.ts';
import { awardJson, type Json } from './represent.ts';
import type { SimAward } from './world.ts';

const awardedOf = (call: Call): Awarded => {
  const mr = mergeRequestOf(call);
  if (call.params['note_id'] === undefined) return { mr, note: null };
  const note = findNote(mr, numberParam(call, 'note_id'));
  if (!mayReadNote(mr, note, call.user)) throw notFound('Note');
  return { mr, note };
};

const shown = (call: Call, on: Awarded, award: SimAward): Json =>
  awardJson(
    call.world,
    award,
    on.note === null ? { id: on.mr.id, type: 'MergeRequest' } : { id: on.note.id, type: 'Note' },
  );

const create = async (call: Call): Promise<Reply> => {
  const user = signedIn(call);
  const on = awardedOf(call);
  const { name } = sentAs(call, z.object({ name: text }));
  return json(201, shown(call, on, await awardNamed(call.world, on, user, name)));
};

const remove = async (call: Call): Promise<Reply> => {
  const user = signedIn(call);
  const on = awardedOf(call);
  const award = awardsOf(on).find((candidate) => candidate.id === numberParam(call, 'award_id'));
  if (award === undefined) throw notFound('Not found');
  if (award.user !== user && !user.isAdmin) throw unauthorized();
  await removeAward(call.world, on, award);
  return empty(204);
};

const base = '/projects/{id}/merge_requests/{iid}';
const describedBase = '/projects/{id}/merge_requests/{merge_request_iid}';
const places = ['/award_emoji', '/notes/{note_id}/award_emoji'];

export const awardRoutes: readonly Route[] = places.flatMap((place) => [
  {
    method: 'GET',
    path: base + place,
    described: describedBase + place,
    handle: (call: Call) => {
      signedIn(call);
      const on = awardedOf(call);
      return paged(
        call,
        awardsOf(on).map((award) => shown(call, on, award)),
      );
    },
  },
  { method: 'POST', path: base + place, described: describedBase + place, handle: create },
  {
    method: 'DELETE',
    path: `${base}${place}/{award_id}`,
    described: `${describedBase}${place}/{award_id}`,
    handle: remove,
  },
]);
