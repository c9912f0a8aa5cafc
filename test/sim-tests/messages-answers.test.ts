/** What comes back when nothing is wrong. */
import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { refuse, reply, text, thinking, toolUse } from '../sim/messages/reply.ts';
import type { StopReason } from '../sim/messages/reply.ts';
import { HAIKU, OLD_HAIKU, SONNET, ask, openScene, textOfTokens, tool } from './messages-client.ts';

test('answers a request with every field of a message', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('hello there')]);
  const message = await client.messages.create(ask());
  expect(message).toEqual({
    id: expect.stringMatching(/^msg_01/),
    type: 'message',
    role: 'assistant',
    model: SONNET,
    content: [{ type: 'text', text: 'hello there', citations: null }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      input_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 4,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      speed: null,
      inference_geo: 'not_available',
    },
  });
  expect(sim.violations).toEqual([]);
});

test('streams the same message that it would send at once', async () => {
  const { sim, client } = await openScene();
  const said = reply([
    thinking('I wonder'),
    text('Zwölf Boxkämpfer 🥊 jagen Viktor quer über den großen Sylter Deich, '.repeat(3)),
    toolUse('Read', { path: 'src/a.ts', lines: [1, 2] }),
    toolUse('Grep', { pattern: 'x' }),
  ]);
  sim.script([said, said]);
  const tools = [tool('Read'), tool('Grep')];
  const plain = await client.messages.create(ask({ tools, thinking: { type: 'adaptive', display: 'summarized' } }));
  const streamed = await client.messages
    .stream(ask({ tools, thinking: { type: 'adaptive', display: 'summarized' } }))
    .finalMessage();
  const withoutIds = (message: Anthropic.Message): unknown =>
    JSON.parse(JSON.stringify(message), (key, value: unknown) =>
      ['id', 'signature', 'parsed_output'].includes(key) ? undefined : value,
    );
  expect(withoutIds(streamed)).toEqual(withoutIds(plain));
  expect(streamed.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
  expect(streamed.stop_reason).toBe('tool_use');
});

test('sends the events of a stream in the documented order, and unknown ones where told to', async () => {
  const { sim, client } = await openScene();
  sim.script([reply([toolUse('Read', { path: 'a' })], { transport: { pings: true, unknownEvent: true } })]);
  const stream = await client.messages.create({ ...ask({ tools: [tool('Read')] }), stream: true });
  const seen: string[] = [];
  for await (const event of stream) seen.push(event.type);
  expect(seen).toEqual([
    'message_start',
    'weather_report',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('survives a body in pieces of three bytes, pings and unknown events', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('größer 🥊', { transport: { pieceBytes: 3, pings: true, unknownEvent: true } })]);
  expect((await client.messages.stream(ask()).finalMessage()).content).toMatchObject([{ text: 'größer 🥊' }]);
});

test('tells request id, organization and rate limits in the headers', async () => {
  const { sim, client } = await openScene({ rateLimits: { requests: 50, inputTokens: 1000, outputTokens: 200 } });
  sim.script([reply('ok')]);
  const { response, request_id } = await client.messages.create(ask()).withResponse();
  const rates = [...response.headers].filter(([name]) => name.startsWith('anthropic-ratelimit-'));
  expect(request_id).toBe(sim.requests[0]?.requestId);
  expect(response.headers.get('anthropic-organization-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(Object.fromEntries(rates)).toEqual({
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '49',
    'anthropic-ratelimit-requests-reset': '2026-11-01T00:01:00.000Z',
    'anthropic-ratelimit-input-tokens-limit': '1000',
    'anthropic-ratelimit-input-tokens-remaining': '995',
    'anthropic-ratelimit-input-tokens-reset': '2026-11-01T00:01:00.000Z',
    'anthropic-ratelimit-output-tokens-limit': '200',
    'anthropic-ratelimit-output-tokens-remaining': '199',
    'anthropic-ratelimit-output-tokens-reset': '2026-11-01T00:01:00.000Z',
    'anthropic-ratelimit-tokens-limit': '1200',
    'anthropic-ratelimit-tokens-remaining': '1194',
    'anthropic-ratelimit-tokens-reset': '2026-11-01T00:01:00.000Z',
  });
});

test.each<StopReason>(['end_turn', 'max_tokens', 'pause_turn', 'model_context_window_exceeded', 'tool_use'])(
  'stops for the scripted reason %s, plain and streamed',
  async (stopReason) => {
    const { sim, client } = await openScene();
    sim.script([reply('part', { stopReason }), reply('part', { stopReason })]);
    expect((await client.messages.create(ask())).stop_reason).toBe(stopReason);
    expect((await client.messages.stream(ask()).finalMessage()).stop_reason).toBe(stopReason);
  },
);

test('refuses with a category, and with none', async () => {
  const { sim, client } = await openScene();
  sim.script([refuse('cyber'), refuse(null)]);
  const first = await client.messages.create(ask());
  const second = await client.messages.stream(ask()).finalMessage();
  expect([first.stop_reason, first.stop_details, first.content]).toEqual([
    'refusal',
    { type: 'refusal', category: 'cyber', explanation: null },
    [],
  ]);
  expect(second.stop_details).toEqual({ type: 'refusal', category: null, explanation: null });
});

test('ends a text in front of a stop sequence', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('one END two')]);
  const message = await client.messages.create(ask({ stop_sequences: ['two', 'END'] }));
  expect([message.content, message.stop_reason, message.stop_sequence]).toEqual([
    [{ type: 'text', text: 'one ', citations: null }],
    'stop_sequence',
    'END',
  ]);
});

test('never writes more than max_tokens, and cuts a text at whole characters', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('ä'.repeat(1000))]);
  const message = await client.messages.create(ask({ max_tokens: 10 }));
  expect(message.stop_reason).toBe('max_tokens');
  expect(message.content).toMatchObject([{ text: 'ä'.repeat(17) }]);
  expect(message.usage.output_tokens).toBe(10);
});

test('ends by itself when the text needs exactly max_tokens', async () => {
  const { sim, client } = await openScene();
  sim.script([reply(textOfTokens(10))]);
  const message = await client.messages.create(ask({ max_tokens: 10 }));
  expect([message.stop_reason, message.usage.output_tokens]).toEqual(['end_turn', 10]);
});

test('counts the input at the start of a stream and the output at its end', async () => {
  const { sim, client } = await openScene();
  sim.script([reply(textOfTokens(50))]);
  const usages: unknown[] = [];
  for await (const event of await client.messages.create({ ...ask(), stream: true })) {
    if (event.type === 'message_start') usages.push(event.message.usage, event.message.stop_reason);
    if (event.type === 'message_delta') usages.push(event.usage, event.delta.stop_reason);
  }
  expect(usages).toMatchObject([
    { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 0 },
    null,
    { input_tokens: 5, output_tokens: 50 },
    'end_turn',
  ]);
});

test('cuts a tool call at max_tokens in the middle of its JSON', async () => {
  const { sim, client } = await openScene();
  const said = reply([text('on it'), toolUse('Write', { body: 'x'.repeat(5000) })]);
  sim.script([said, said]);
  const request = ask({ max_tokens: 100, tools: [tool('Write')] });
  const plain = await client.messages.create(request);
  expect(plain.stop_reason).toBe('max_tokens');
  expect(plain.usage.output_tokens).toBeLessThanOrEqual(100);
  let json = '';
  for await (const event of await client.messages.create({ ...request, stream: true })) {
    if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
      json += event.delta.partial_json;
  }
  expect(json).toMatch(/^\{"body":"x+$/);
});

test('sends the whole reply beyond max_tokens only where the script says so', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('x'.repeat(3500), { overrun: true })]);
  const message = await client.messages.create(ask({ max_tokens: 10 }));
  expect([message.stop_reason, message.usage.output_tokens]).toEqual(['end_turn', 1000]);
});

test('stops at the end of the context window', async () => {
  const { sim, client } = await openScene({ models: { [SONNET]: { contextTokens: 60 } } });
  sim.script([reply('x'.repeat(3500))]);
  const message = await client.messages.create(ask({ messages: [{ role: 'user', content: textOfTokens(40) }] }));
  expect(message.stop_reason).toBe('model_context_window_exceeded');
  expect(message.usage.input_tokens + message.usage.output_tokens).toBe(60);
});

test('answers with nothing at all when the script says so, and still counts a token', async () => {
  const { sim, client } = await openScene();
  sim.script([reply([]), reply([])]);
  const plain = await client.messages.create(ask());
  const streamed = await client.messages.stream(ask()).finalMessage();
  expect([plain.content, plain.usage.output_tokens]).toEqual([[], 1]);
  expect([streamed.content, streamed.usage.output_tokens]).toEqual([[], 1]);
});

test('hides thoughts by default on new models, shows them on old ones, and counts them either way', async () => {
  const { sim, client } = await openScene();
  sim.script(() => reply([thinking('a long thought about nothing'), text('done')]));
  const hidden = await client.messages.create(ask());
  const shown = await client.messages.create(
    ask({ model: OLD_HAIKU, max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }),
  );
  expect(hidden.content[0]).toMatchObject({ type: 'thinking', thinking: '', signature: expect.any(String) });
  expect(shown.content[0]).toMatchObject({ type: 'thinking', thinking: 'a long thought about nothing' });
  expect(hidden.usage.output_tokens_details).toEqual({ thinking_tokens: 8 });
  expect(hidden.usage.output_tokens).toBe(10);
});

test('lists and shows models with their limits', async () => {
  const { client } = await openScene();
  const listed: string[] = [];
  for await (const model of client.models.list({ limit: 2 })) listed.push(model.id);
  expect(listed[0]).toBe('claude-fable-5-2');
  expect(listed).toContain(SONNET);
  expect(new Set(listed).size).toBe(listed.length);
  expect(await client.models.retrieve(HAIKU)).toMatchObject({ max_input_tokens: 1_000_000, max_tokens: 128_000 });
  await expect(client.models.retrieve('claude-nothing')).rejects.toThrow(Anthropic.NotFoundError);
});

test('counts the tokens that the request then costs', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('ok')]);
  const prompt = {
    model: SONNET,
    system: 'You review code.',
    tools: [tool('Read', { path: { type: 'string' } })],
    messages: [
      { role: 'user' as const, content: 'look' },
      { role: 'assistant' as const, content: [{ type: 'tool_use' as const, id: 'toolu_1', name: 'Read', input: {} }] },
      {
        role: 'user' as const,
        content: [{ type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'const a' }],
      },
    ],
  };
  const counted = await client.messages.countTokens(prompt);
  const { usage } = await client.messages.create({ ...prompt, max_tokens: 100 });
  expect(counted).toEqual({ input_tokens: usage.input_tokens });
  expect(sim.spend().calls).toBe(1);
});
