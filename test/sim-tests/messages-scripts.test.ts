/** Which script answers whom. */
import type Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { fail, reply, text, toolUse } from '../sim/messages/reply.ts';
import { HAIKU, ask, errorOf, openScene, tool } from './messages-client.ts';

const said = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : block.type)).join();

test('goes through a list call by call, failures included', async () => {
  const { sim, client } = await openScene();
  const script = sim.script([reply('one'), fail(529), reply('two')]);
  expect(said(await client.messages.create(ask()))).toBe('one');
  expect(script.remaining()).toBe(2);
  expect((await errorOf(client.messages.create(ask()))).status).toBe(529);
  expect(said(await client.messages.create(ask()))).toBe('two');
  expect([script.remaining(), script.answered()]).toEqual([0, 3]);
});

test('fails loudly when nothing is scripted', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('one')]);
  await client.messages.create(ask());
  const error = await errorOf(client.messages.create(ask()));
  expect([error.status, error.apiMessage]).toEqual([400, expect.stringContaining('simulator: no script for turn 0')]);
  expect(sim.violations).toEqual([expect.stringContaining('which begins "hello"')]);
  expect(sim.requests[1]?.outcome).toBe('unscripted');
});

test('records a script that throws', async () => {
  const { sim, client } = await openScene();
  sim.script(() => {
    throw new Error('what is that?');
  });
  expect((await errorOf(client.messages.create(ask()))).status).toBe(400);
  expect(sim.violations).toEqual(['the script failed: what is that?']);
});

test('records a request to an endpoint that it does not have', async () => {
  const { sim, client } = await openScene();
  await errorOf(client.messages.batches.list());
  expect(sim.violations).toEqual(['no such endpoint: GET /v1/messages/batches']);
});

test('tells conversations apart by system prompt, tools, first text and model', async () => {
  const { sim, client } = await openScene();
  sim.script(() => reply('anyone'));
  sim.script(() => reply('by model'), { model: HAIKU });
  sim.script(() => reply('reviewer'), { hasTool: 'submit_review' });
  sim.script(() => reply('explorer'), { system: /you explore/i, lacksTool: 'submit_review' });
  sim.script(() => reply('by text'), { firstUserText: 'change 7' });
  sim.script(() => reply('by hand'), { when: ({ request }) => request.max_tokens === 7 });
  const [reads, submits] = [tool('Read'), tool('submit_review')];
  const answers = [
    ask(),
    ask({ model: HAIKU }),
    ask({ tools: [reads, submits] }),
    ask({ system: 'You explore.', tools: [reads] }),
    ask({ system: 'You explore.', tools: [reads, submits] }),
    ask({ messages: [{ role: 'user', content: 'this is change 7' }] }),
    ask({ max_tokens: 7 }),
  ];
  const heard = [];
  for (const request of answers) heard.push(said(await client.messages.create(request)));
  expect(heard).toEqual(['anyone', 'by model', 'reviewer', 'explorer', 'reviewer', 'by text', 'by hand']);
});

test('goes through a list in every conversation on its own where asked to', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('first'), reply('second')], { perConversation: true });
  const of = (words: string) => client.messages.create(ask({ messages: [{ role: 'user', content: words }] }));
  expect([said(await of('a')), said(await of('b')), said(await of('b')), said(await of('a'))]).toEqual([
    'first',
    'first',
    'second',
    'second',
  ]);
});

test('falls back to an older script when the newest is used up or removed', async () => {
  const { sim, client } = await openScene();
  sim.script(() => reply('old'));
  const never = sim.script([reply('never')]);
  sim.script([reply('new')]);
  never.remove();
  expect(said(await client.messages.create(ask()))).toBe('new');
  expect(said(await client.messages.create(ask()))).toBe('old');
});

test('tells a function the turn, the call and what it heard', async () => {
  const { sim, client } = await openScene();
  const seen: unknown[] = [];
  sim.script(({ turn, call, heard, tools }) => {
    seen.push([turn, call, heard, tools.map(({ name }) => name)]);
    return turn === 0 ? reply([text('reading'), toolUse('Read', { path: 'a' })]) : reply('done');
  });
  const request = ask({ tools: [tool('Read')] });
  const first = await client.messages.create(request);
  await client.messages.create(request);
  const calls = first.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  await client.messages.create({
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', content: first.content },
      {
        role: 'user',
        content: calls.map((id) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: [{ type: 'text', text: 'const a' }],
        })),
      },
    ],
  });
  expect(seen).toEqual([
    [0, 0, ['hello'], ['Read']],
    [0, 1, ['hello'], ['Read']],
    [1, 2, ['hello', 'const a'], ['Read']],
  ]);
});

test('keeps every request with its body, key and end', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('ok')]);
  await client.messages.create(ask({ system: 'be brief' }));
  const [entry] = sim.requests;
  expect(JSON.parse(entry?.body ?? '')).toEqual(ask({ system: 'be brief' }));
  expect(entry).toMatchObject({
    method: 'POST',
    path: '/v1/messages',
    request: { system: 'be brief' },
    turn: 0,
    status: 200,
    outcome: 'complete',
    stopReason: 'end_turn',
    problem: null,
    atMs: Date.UTC(2026, 10, 1),
  });
  expect(entry?.headers.authorization).toBe(`Bearer ${sim.apiKey}`);
});

test('takes a request for the same conversation when words are added to its first turn', async () => {
  const { sim, client } = await openScene();
  sim.script(() => reply('ok'));
  const say = (...words: string[]) =>
    client.messages.create(
      ask({ messages: [{ role: 'user', content: words.map((one) => ({ type: 'text', text: one })) }] }),
    );
  await say('the task');
  await say('the task', 'this is the last turn');
  await say('another task');
  const [first, second, third] = sim.requests.map(({ conversation }) => conversation);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});
