import { expect, test } from 'vitest';
import { extendSummary } from '../../../services/poster/extend-summary.ts';
import { signMarker, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
const plan = buildCapPlan(context, { input: inputOf(context.facts), cap: 'runs', noticeId: make.runId('n') });
const LINK = '[A finding](http://forge.example/5#note-7)';
const summaryBy = (id: number) =>
  make.comment(`${LINK}\n\n${signMarker(plan.summary.marker, make.SECRET)}`, {
    id: `${id}`,
    createdAtMs: id,
    webUrl: `http://forge.example/5#note-${id}`,
    author: { id, login: `bot${id}` },
  });
/** The first account is an earlier one of the bot. Of all links, only those to comments of the page itself are allowed. */
const accounts = {
  botIds: new Set([899, 900]),
  selfId: 900,
  sanitizing: { forgeBaseUrl: 'https://api.example', maxLength: 60_000, secrets: [] },
};

test('a sentence is added once, to the summary of the account that may edit it, and its links stay', async () => {
  const memory = createMemoryForge({ before: [summaryBy(899), summaryBy(900)], forge: accounts });
  await extendSummary(postingOn(memory, plan), 'One more word.');
  await extendSummary(postingOn(memory, plan), 'One more word.');
  expect(memory.done).toEqual(['edit 900']);
  expect(memory.comments.map(({ body }) => stripMarkers(body))).toEqual([LINK, `${LINK}\n\nOne more word.`]);
});

test.each([
  ['where there is none', []],
  ['where only an earlier account wrote one', [summaryBy(899)]],
])('no summary is made for it %s', async (_where, before) => {
  const memory = createMemoryForge({ before, forge: accounts });
  await extendSummary(postingOn(memory, plan), 'One more word.');
  expect(memory.done).toEqual([]);
});
