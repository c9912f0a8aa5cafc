/** Every rule by which the API refuses a request, in its own words. */
import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { reply } from '../sim/messages/reply.ts';
import {
  HAIKU,
  OLD_HAIKU,
  OPUS,
  SONNET,
  ask,
  errorOf,
  openScene,
  post,
  textOfTokens,
  tool,
} from './messages-client.ts';

type Body = Readonly<Record<string, unknown>>;

const valid: Body = { model: SONNET, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] };
const without = (name: string): Body => Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name));
const user = (...content: readonly object[]): object => ({ role: 'user', content });
const assistant = (...content: readonly object[]): object => ({ role: 'assistant', content });
const words = (content: string, more: object = {}): object => ({ type: 'text', text: content, ...more });
const call = (id: string): object => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const tools = [tool('Read')];
const cache = { cache_control: { type: 'ephemeral' } };
const cacheHour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const talk = (...messages: readonly object[]): Body => ({ ...valid, tools, messages });

const missing =
  'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
const unexpected = (place: string, id: string): string =>
  `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;

test.each<[rule: string, body: Body | string, message: string]>([
  ['a body that is no JSON', '{"model":', 'The request body is not valid JSON'],
  ['a missing model', without('model'), 'model: Field required'],
  ['a missing max_tokens', without('max_tokens'), 'max_tokens: Field required'],
  ['missing messages', without('messages'), 'messages: Field required'],
  ['a model of the wrong type', { ...valid, model: 5 }, 'model: Input should be a valid string'],
  ['max_tokens of the wrong type', { ...valid, max_tokens: '5' }, 'max_tokens: Input should be a valid'],
  ['max_tokens with a fraction', { ...valid, max_tokens: 1.5 }, 'max_tokens: Input should be a valid integer'],
  ['negative max_tokens', { ...valid, max_tokens: -1 }, 'max_tokens: Input should be greater than or equal to 0'],
  ['messages of the wrong type', { ...valid, messages: 'hello' }, 'messages: Input should be a valid list'],
  ['no message', { ...valid, messages: [] }, 'messages: at least one message is required'],
  [
    'an unknown role',
    talk({ role: 'tool', content: 'x' }),
    "messages.0.role: Input should be 'user', 'assistant' or 'system'",
  ],
  ['content of the wrong type', talk({ role: 'user', content: 5 }), 'messages.0.content: Input should be'],
  ['a text block without text', talk(user({ type: 'text' })), 'messages.0.content.0.text: Field required'],
  ['an unknown block type', talk(user({ type: 'poem' })), 'messages.0.content.0'],
  [
    'a field that a block does not have',
    talk(user(words('x', { colour: 'red' }))),
    'messages.0.content.0.colour: Extra inputs are not permitted',
  ],
  ['an unknown parameter', { ...valid, top_z: 1 }, 'top_z: Extra inputs are not permitted'],
  ['a beta parameter without the beta', { ...valid, context_management: {} }, 'context_management: Extra inputs'],
  ['temperature', { ...valid, temperature: 0 }, '`temperature` is deprecated for this model.'],
  ['top_p', { ...valid, top_p: 0.9 }, '`top_p` is deprecated for this model.'],
  ['top_k', { ...valid, top_k: 5 }, '`top_k` is deprecated for this model.'],
  [
    'more max_tokens than the model can write',
    { ...valid, max_tokens: 128_001 },
    'max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-sonnet-5-5',
  ],
  ['a tool call without a result', talk(user(words('a')), assistant(call('toolu_1')), user(words('b'))), missing],
  ['a tool call at the end', talk(user(words('a')), assistant(call('toolu_1'))), missing],
  [
    'a text in front of the tool result',
    talk(user(words('a')), assistant(call('toolu_1')), user(words('b'), result('toolu_1'))),
    missing,
  ],
  [
    'one of two results missing',
    talk(user(words('a')), assistant(call('t0'), call('toolu_1')), user(result('t0'))),
    missing,
  ],
  ['a result without a call', talk(user(words('a'), result('toolu_9'))), unexpected('messages.0.content.1', 'toolu_9')],
  [
    'a result one turn late',
    talk(
      user(words('a')),
      assistant(call('toolu_1')),
      user(result('toolu_1')),
      assistant(words('b')),
      user(result('toolu_2')),
    ),
    unexpected('messages.4.content.0', 'toolu_2'),
  ],
  [
    'two results for one call',
    talk(user(words('a')), assistant(call('toolu_1')), user(result('toolu_1'), result('toolu_1'))),
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1',
  ],
  [
    'two calls with one id',
    talk(user(words('a')), assistant(call('toolu_1'), call('toolu_1')), user(result('toolu_1'))),
    'messages.1.content.1: `tool_use` ids must be unique',
  ],
  [
    'a malformed tool call id',
    talk(user(words('a')), assistant(call('a b')), user(result('a b'))),
    'messages.1.content.0.id: String should match pattern',
  ],
  [
    'a tool input that is no object',
    talk(user(words('a')), assistant({ ...call('t'), input: 'x' })),
    'messages.1.content.0.input: Input should be a valid dictionary',
  ],
  [
    'a tool call whose name no tool can have',
    talk(user(words('a')), assistant({ ...call('t'), name: 'bash ' }), user(result('t'))),
    "messages.1.content.0.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'",
  ],
  ['an empty text block', talk(user(words(''))), 'messages: text content blocks must be non-empty'],
  [
    'a text block of blanks',
    talk(user(words(' \n'))),
    'messages: text content blocks must contain non-whitespace text',
  ],
  ['an empty system block', { ...valid, system: [words('')] }, 'system: text content blocks must be non-empty'],
  [
    'an empty message',
    talk(user(words('a')), assistant(), user(words('b'))),
    'messages.1: all messages must have non-empty content except for the optional final assistant message',
  ],
  [
    'an assistant who speaks first',
    talk(assistant(words('a')), user(words('b'))),
    'messages: first message must use the "user" role',
  ],
  [
    'a document in a turn of the assistant',
    talk(user(words('a')), assistant({ type: 'document', source: {} }), user(words('b'))),
    'messages.1.content.0: `document` blocks can only be in `user` messages',
  ],
  [
    'a tool call in a turn of the user',
    talk(user(call('t'))),
    'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
  ],
  [
    'a prefilled answer',
    talk(user(words('a')), assistant(words('The answer is'))),
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  [
    'five breakpoints',
    { ...valid, messages: [user(...Array.from({ length: 5 }, () => words('a', cache)))] },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'a fifth breakpoint through automatic caching',
    { ...valid, ...cache, messages: [user(...Array.from({ length: 4 }, () => words('a', cache)), words('b'))] },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'a long-lived breakpoint behind a short-lived one',
    { ...valid, messages: [user(words('a', cache), words('b', cacheHour))] },
    "cache_control: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
  ],
  [
    'an unknown time to live',
    { ...valid, messages: [user(words('a', { cache_control: { type: 'ephemeral', ttl: '2h' } }))] },
    "cache_control.ttl: Input should be '5m' or '1h'",
  ],
  [
    'a breakpoint on empty text',
    talk(user(words('', cache))),
    'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
  ],
  ['two tools of one name', { ...valid, tools: [tool('Read'), tool('Read')] }, 'tools: Tool names must be unique.'],
  [
    'a malformed tool name',
    { ...valid, tools: [tool('Read'), tool('Re ad')] },
    "tools.1.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    'a tool name of 129 characters',
    { ...valid, tools: [tool('x'.repeat(129))] },
    'tools.0.custom.name: String should match',
  ],
  [
    'a tool whose schema is no object',
    { ...valid, tools: [{ name: 'a', input_schema: { type: 'array' } }] },
    "tools.0.input_schema.type: Input should be 'object'",
  ],
  [
    'a tool choice without tools',
    { ...valid, tool_choice: { type: 'auto' } },
    'tool_choice may only be specified while providing tools.',
  ],
  [
    'a choice of a tool that is not there',
    { ...valid, tools, tool_choice: { type: 'tool', name: 'Write' } },
    "Tool 'Write' not found in provided tools",
  ],
  [
    'a forced tool',
    { ...valid, tools, tool_choice: { type: 'any' } },
    'tool_choice: type "tool" and "any" are not supported for this model.',
  ],
  [
    'a forced tool by name',
    { ...valid, tools, tool_choice: { type: 'tool', name: 'Read' } },
    'tool_choice: type "tool" and "any" are not supported for this model.',
  ],
  [
    'a thinking budget',
    { ...valid, max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } },
    '"thinking.type.enabled" is not supported for this model.',
  ],
  [
    'thinking switched off',
    { ...valid, thinking: { type: 'disabled' } },
    '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools" instead.',
  ],
  [
    'thinking between tools only, at high effort',
    { ...valid, thinking: { type: 'between_tools' }, output_config: { effort: 'xhigh' } },
    '"thinking.type.between_tools" is not supported with effort "xhigh" on this model.',
  ],
  [
    'an unknown effort',
    { ...valid, output_config: { effort: 'huge' } },
    "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
  ],
  [
    'a thinking budget above max_tokens',
    { ...valid, model: OLD_HAIKU, thinking: { type: 'enabled', budget_tokens: 2000 } },
    '`max_tokens` must be greater than `thinking.budget_tokens`.',
  ],
  [
    'a thinking budget of all max_tokens',
    { ...valid, model: OLD_HAIKU, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } },
    '`max_tokens` must be greater than `thinking.budget_tokens`.',
  ],
  [
    'a small thinking budget',
    { ...valid, thinking: { type: 'enabled', budget_tokens: 1023 } },
    'thinking.budget_tokens: Input should be greater than or equal to 1024',
  ],
  [
    'adaptive thinking on an old model',
    { ...valid, model: OLD_HAIKU, thinking: { type: 'adaptive' } },
    'adaptive thinking is not supported on this model',
  ],
  [
    'effort on an old model',
    { ...valid, model: OLD_HAIKU, output_config: { effort: 'low' } },
    'This model does not support the effort parameter.',
  ],
  [
    'a forced tool while an old model thinks',
    {
      ...valid,
      model: OLD_HAIKU,
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools,
      tool_choice: { type: 'any' },
    },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
  [
    'switched-off thinking where it is always on',
    { ...valid, model: OPUS, thinking: { type: 'disabled' } },
    '"thinking.type.disabled" is not supported for this model.',
  ],
])('refuses %s', async (_, body, message) => {
  const { sim } = await openScene();
  const { status, json } = await post(sim, body);
  expect([status, json.error?.type]).toEqual([400, 'invalid_request_error']);
  expect(json.error?.message).toContain(message);
  expect(sim.requests[0]).toMatchObject({ outcome: 'refused', status: 400, usage: null, costUsd: 0 });
});

test('refuses an unknown model as not found', async () => {
  const { client } = await openScene();
  const error = await errorOf(client.messages.create(ask({ model: 'claude-sonnet-9' })));
  expect(error).toBeInstanceOf(Anthropic.NotFoundError);
  expect([error.type, error.apiMessage]).toEqual(['not_found_error', 'model: claude-sonnet-9']);
});

test('refuses a prompt beyond the context window, in counting too', async () => {
  const { client } = await openScene({ models: { [SONNET]: { contextTokens: 50 } } });
  const request = ask({ messages: [{ role: 'user', content: textOfTokens(48) }] });
  const { model, messages } = request;
  const message = 'prompt is too long: 51 tokens > 50 maximum';
  expect((await errorOf(client.messages.create(request))).apiMessage).toBe(message);
  expect((await errorOf(client.messages.countTokens({ model, messages }))).apiMessage).toBe(message);
});

test('accepts a prompt that fills the context window, though nothing can follow', async () => {
  const { sim, client } = await openScene({ models: { [SONNET]: { contextTokens: 50 } } });
  sim.script([reply('no room')]);
  const message = await client.messages.create(ask({ messages: [{ role: 'user', content: textOfTokens(47) }] }));
  expect([message.stop_reason, message.content]).toEqual(['model_context_window_exceeded', []]);
});

test('refuses a body above the limit of bytes', async () => {
  const { client } = await openScene({ maxBodyBytes: 1000 });
  const error = await errorOf(client.messages.create(ask({ system: 'x'.repeat(1000) })));
  expect(error).toBeInstanceOf(Anthropic.ContentTooLargeError);
  expect(error.type).toBe('request_too_large');
});

test.each<[what: string, headers: Readonly<Record<string, string>>, status: number, message: string]>([
  ['a wrong key', { 'x-api-key': 'wrong' }, 401, 'invalid x-api-key'],
  ['no version', { 'anthropic-version': '' }, 400, 'is not a valid version'],
  ['an unknown version', { 'anthropic-version': '1999-01-01' }, 400, 'is not a valid version'],
])('refuses %s', async (_, headers, status, message) => {
  const { sim } = await openScene();
  const answer = await post(sim, valid, headers);
  expect([answer.status, answer.json.error?.message]).toEqual([status, expect.stringContaining(message)]);
});

test.each([
  [{}, 401, 'x-api-key header is required'],
  [{ authorization: 'Bearer wrong', 'anthropic-version': '2023-06-01' }, 401, 'Invalid bearer token'],
  [{ authorization: 'Bearer messages-sim-key' }, 400, 'anthropic-version: header is required'],
])('asks for a key and a version: %j', async (headers, status, message) => {
  const { sim } = await openScene();
  const answer = await fetch(`${sim.url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(valid) });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({
    type: 'error',
    error: { message },
    request_id: sim.requests[0]?.requestId,
  });
});

test('accepts a bearer token in place of a key', async () => {
  const { sim } = await openScene();
  sim.script([reply('ok')]);
  const client = new Anthropic({ baseURL: sim.url, authToken: sim.apiKey, apiKey: null, maxRetries: 0 });
  expect((await client.messages.create(ask())).stop_reason).toBe('end_turn');
  expect(sim.requests[0]?.headers['x-api-key']).toBeUndefined();
});

test('takes neighbours of one role as one turn', async () => {
  const { sim } = await openScene();
  sim.script([reply('ok')]);
  const messages = [
    user(words('a')),
    assistant(call('t1')),
    assistant(call('t2')),
    user(result('t2')),
    user(result('t1'), words('now answer')),
  ];
  expect((await post(sim, { ...valid, tools, messages })).status).toBe(200);
});

test.each<[what: string, more: Body]>([
  ['as many tokens as the model can write', { max_tokens: 128_000 }],
  ['adaptive thinking', { thinking: { type: 'adaptive' } }],
  ['thinking between tools only', { thinking: { type: 'between_tools' }, output_config: { effort: 'low' } }],
  ['no thinking on a small new model', { model: HAIKU, thinking: { type: 'disabled' } }],
  [
    'a thinking budget on an old model',
    { model: OLD_HAIKU, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } },
  ],
  ['sampling on an old model', { model: OLD_HAIKU, temperature: 0, top_p: 0.5 }],
  ['a prefilled answer on an old model', { model: OLD_HAIKU, messages: [user(words('a')), assistant(words('b'))] }],
  ['a forced tool on an old model', { model: OLD_HAIKU, tools, tool_choice: { type: 'tool', name: 'Read' } }],
  ['tools that may not be used', { tools, tool_choice: { type: 'none' } }],
  [
    'a cached call and its cached result',
    { tools, messages: [user(words('a')), assistant({ ...call('t'), ...cache }), user({ ...result('t'), ...cache })] },
  ],
  [
    'a message of the operator in between',
    { messages: [user(words('a')), { role: 'system', content: 'be brief' }, user(words('b'))] },
  ],
])('accepts %s', async (_, more) => {
  const { sim } = await openScene();
  sim.script([reply('ok')]);
  const answer = await post(sim, { ...valid, ...more });
  expect(answer.json.error?.message).toBeUndefined();
  expect(answer.status).toBe(200);
});
