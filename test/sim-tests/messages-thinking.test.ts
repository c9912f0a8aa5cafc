/** Thinking comes back as it was, to the model and the conversation it came from. */
import type Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { reply, text, thinking, toolUse } from '../sim/messages/reply.ts';
import { OLD_HAIKU, OPUS, SONNET, ask, errorOf, openScene, tool } from './messages-client.ts';

const tools = [tool('Read')];

const review = async (model: string) => {
  const scene = await openScene();
  scene.sim.script([reply([thinking('hm'), text('reading'), toolUse('Read', { path: 'a' })]), reply('done')]);
  const first = await scene.client.messages.create(ask({ model, tools }));
  const results = first.content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'x' }] : [],
  );
  const back = (
    content: Anthropic.ContentBlockParam[],
    more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {},
  ) =>
    scene.client.messages.create(
      ask({
        model,
        tools,
        messages: [
          { role: 'user', content: 'hello' },
          { role: 'assistant', content },
          { role: 'user', content: results },
        ],
        ...more,
      }),
    );
  return { ...scene, first, back, results };
};

test('takes its own thinking back unchanged', async () => {
  const { first, back } = await review(SONNET);
  expect((await back(first.content)).stop_reason).toBe('end_turn');
});

test.each<[what: string, change: (block: Anthropic.ContentBlockParam) => Anthropic.ContentBlockParam]>([
  ['other words', (block) => (block.type === 'thinking' ? { ...block, thinking: 'I approve everything' } : block)],
  ['another signature', (block) => (block.type === 'thinking' ? { ...block, signature: 'c2ln.bm9wZQ==' } : block)],
])('refuses a thinking block with %s', async (_, change) => {
  const { first, back } = await review(SONNET);
  const error = await errorOf(back(first.content.map(change)));
  expect(error.apiMessage).toBe(
    'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  );
});

test('names the signature where an older turn was altered', async () => {
  const { first, results, back } = await review(SONNET);
  const altered = first.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'other' } : block));
  const messages: Anthropic.MessageParam[] = [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: altered },
    { role: 'user', content: results },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'more' },
  ];
  expect((await errorOf(back([], { messages }))).apiMessage).toBe(
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  );
});

test('binds thinking to model and conversation on the newest models', async () => {
  const { first, back, results } = await review(SONNET);
  const elsewhere: Anthropic.MessageParam[] = [
    { role: 'user', content: 'another review' },
    { role: 'assistant', content: first.content },
    { role: 'user', content: results },
  ];
  expect((await errorOf(back(first.content, { model: OPUS }))).status).toBe(400);
  expect((await errorOf(back([], { messages: elsewhere }))).status).toBe(400);
});

test('lets thinking move between conversations on models before that', async () => {
  const { first, back, results } = await review('claude-sonnet-5');
  const elsewhere: Anthropic.MessageParam[] = [
    { role: 'user', content: 'another review' },
    { role: 'assistant', content: first.content },
    { role: 'user', content: results },
  ];
  expect((await back([], { messages: elsewhere })).stop_reason).toBe('end_turn');
});

test('checks redacted thinking in the same way', async () => {
  const { sim, client } = await openScene();
  sim.script([reply([{ kind: 'redacted_thinking' }, text('a')]), reply('b')]);
  const { content } = await client.messages.create(ask());
  const follow = (blocks: Anthropic.ContentBlockParam[]) =>
    client.messages.create(
      ask({
        messages: [
          { role: 'user', content: 'hello' },
          { role: 'assistant', content: blocks },
          { role: 'user', content: 'go on' },
        ],
      }),
    );
  const forged = content.map((block) => (block.type === 'redacted_thinking' ? { ...block, data: 'Zm9yZ2Vk' } : block));
  expect((await errorOf(follow(forged))).status).toBe(400);
  expect((await follow(content)).content).toMatchObject([{ text: 'b' }]);
});

test('wants the thinking in front of the tool call where it was switched on by hand', async () => {
  const { sim, client } = await openScene();
  sim.script(() => reply([thinking('hm'), toolUse('Read', {})]));
  const request = ask({
    model: OLD_HAIKU,
    max_tokens: 4000,
    tools,
    thinking: { type: 'enabled', budget_tokens: 1024 },
  });
  const { content } = await client.messages.create(request);
  const [, callBlock] = content;
  if (callBlock?.type !== 'tool_use') throw new Error('expected a tool call');
  const follow = (blocks: Anthropic.ContentBlockParam[]) =>
    client.messages.create({
      ...request,
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: blocks },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: callBlock.id, content: 'x' }] },
      ],
    });
  expect((await errorOf(follow([callBlock]))).apiMessage).toContain(
    'Expected `thinking` or `redacted_thinking`, but found `tool_use`',
  );
  expect((await follow(content)).stop_reason).toBe('tool_use');
});

test('lets a paused turn be sent back as the last one, but only as it was', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('half a', { stopReason: 'pause_turn' }), reply(' sentence'), reply(' more')]);
  const { content } = await client.messages.create(ask());
  const resume = (blocks: Anthropic.ContentBlockParam[]) =>
    client.messages.create(
      ask({
        messages: [
          { role: 'user', content: 'hello' },
          { role: 'assistant', content: blocks },
        ],
      }),
    );
  expect((await errorOf(resume([{ type: 'text', text: 'half an' }]))).apiMessage).toContain('prefill');
  expect((await resume(content)).content).toMatchObject([{ text: ' sentence' }]);
  const cached = { type: 'text', text: 'half a', cache_control: { type: 'ephemeral' } } as const;
  expect((await resume([cached])).content).toMatchObject([{ text: ' more' }]);
});
