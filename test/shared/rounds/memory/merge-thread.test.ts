import { expect, it } from 'vitest';
import { mergeReply } from '../../../../shared/rounds/memory/merge-thread.ts';
import { rebuildThreads } from '../../../../shared/rounds/memory/rebuild-threads.ts';
import type { ReplyMarker } from '../../../../shared/rounds/model/marker-payload.ts';
import { PAYLOADS } from '../../text/marker-fixture.ts';
import { comment, sha, thread } from '../builders.ts';

const found = PAYLOADS.find((payload): payload is ReplyMarker => payload.kind === 'reply');
if (found === undefined) throw new Error('the fixture has a reply');
const reply = (patch: Partial<ReplyMarker>): ReplyMarker => ({ ...found, head: sha('head'), ...patch });

it.each([
  ['a newer reply', 1, reply({ action: 'reply', count: 2 }), ['open', 2, sha('head'), null]],
  ['the same reply', 2, reply({ action: 'reply', count: 2 }), ['open', 2, sha('head'), null]],
  ['an older reply', 3, reply({ action: 'reply', count: 2 }), ['open', 3, null, null]],
  ['a veto', 1, reply({ action: 'veto', count: 2 }), ['vetoed', 2, sha('head'), sha('head')]],
  ['a resolution', 1, reply({ action: 'resolve', count: 2 }), ['resolved', 2, sha('head'), null]],
] as const)('%s moves a thread only forwards', (_what, count, marker, expected) => {
  const { state, count: after, cycledAt = null, settledAt = null } = mergeReply(thread({ count }), marker);
  expect([state, after, cycledAt, settledAt]).toEqual(expected);
});

it('a decline of a finding that is not known makes no thread of it', () => {
  const { cr, review, attempt, run, head, id, fp } = found;
  const decline = { kind: 'decline', cr, review, attempt, run, head, id, fp } as const;
  expect(rebuildThreads([{ payload: decline, comment: comment('') }], { entries: [], placesAt: null })).toEqual([]);
});
