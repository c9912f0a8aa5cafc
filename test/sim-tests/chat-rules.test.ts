/** What the simulated server for chat completions refuses, and what it counts. */
import { expect, it, onTestFinished } from 'vitest';
import type { Dialect } from '../sim/chat/dialect.ts';
import { type ChatSim, startChatSim } from '../sim/chat/start.ts';
import { reply } from '../sim/messages/reply.ts';

const start = async (dialect: Partial<Dialect> = {}): Promise<ChatSim> => {
  const sim = await startChatSim({ dialect });
  onTestFinished(() => sim.close());
  return sim;
};

type Said = {
  readonly status: number;
  readonly json: { readonly error?: { readonly message: string }; readonly usage?: object };
};

const post = async (sim: ChatSim, body: object): Promise<Said> => {
  const answer = await fetch(`${sim.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 100, ...body }),
  });
  // The simulator answers JSON; a test that asks for something else fails here.
  return { status: answer.status, json: (await answer.json()) as Said['json'] };
};

const hello = { role: 'user', content: 'Hello.' };
const calls = (...ids: readonly string[]) => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'Read', arguments: '{}' } })),
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' });
const tools = [{ type: 'function', function: { name: 'Read', description: 'Reads.', parameters: { type: 'object' } } }];

it.each<[string, object, Partial<Dialect>?]>([
  ['an answer at the end', { messages: [hello, { role: 'assistant', content: 'x' }] }],
  ['an answer at the beginning', { messages: [{ role: 'assistant', content: 'x' }, hello] }],
  ['two questions in a row', { messages: [hello, hello] }],
  ['an empty answer', { messages: [hello, { role: 'assistant', content: '' }, hello] }],
  ['a call without its result', { messages: [hello, calls('a', 'b'), result('a'), hello] }],
  ['a call without its result at the end', { messages: [hello, calls('a', 'b'), result('a')] }],
  ['a result without its call', { messages: [hello, result('a')] }],
  ['an id twice', { messages: [hello, calls('a'), result('a'), calls('a'), result('a')] }],
  ['a system message in the middle', { messages: [hello, { role: 'system', content: 'x' }, hello] }],
  ['a field that it does not know', { messages: [hello], top_k: 1 }],
  ['two output limits', { messages: [hello], max_completion_tokens: 5 }],
  ['an old output limit', { messages: [hello] }, { outputLimits: ['max_completion_tokens'] }],
  ['a choice among no tools', { messages: [hello], parallel_tool_calls: true }],
  ['parallel calls', { messages: [hello], tools, parallel_tool_calls: true }, { parallel: 'refused' }],
  ['options of a stream without a stream', { messages: [hello], stream_options: { include_usage: true } }],
  ['a prompt that leaves no room', { messages: [hello], max_tokens: 1_000_000 }, { reservesOutput: true }],
  ['a model that nobody has', { messages: [hello], model: 'nobody' }],
])('refuses %s', async (_name, body, dialect) => {
  const sim = await start(dialect);
  sim.script(() => reply('ok'));
  const { status, json } = await post(sim, body);
  expect([400, 404]).toContain(status);
  expect(json.error?.message).not.toBe('');
  expect(sim.violations).toEqual([]);
});

it('takes a conversation in order, and counts what it has cached', async () => {
  const sim = await start();
  sim.script(() => reply('ok'));
  const long = { role: 'user', content: 'word '.repeat(2_000) };
  expect((await post(sim, { messages: [long], tools })).json.usage).toMatchObject({
    prompt_tokens_details: { cached_tokens: 0 },
  });
  const second = await post(sim, { messages: [long, calls('a', 'b'), result('b'), result('a'), hello], tools });
  expect(second.status).toBe(200);
  const { prompt_tokens: prompt, prompt_tokens_details: details } = second.json.usage as {
    readonly prompt_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
  };
  expect(details.cached_tokens / prompt).toBeGreaterThan(0.9);
});

it('refuses a wrong key, and names its models', async () => {
  const sim = await start();
  const list = (key: string) => fetch(`${sim.url}/models`, { headers: { authorization: `Bearer ${key}` } });
  expect((await list('wrong')).status).toBe(401);
  const { data } = (await (await list(sim.apiKey)).json()) as { readonly data: readonly { readonly id: string }[] };
  expect(data.map(({ id }) => id)).toContain('claude-sonnet-5-5');
});

it('notes a request that no script answers', async () => {
  const sim = await start();
  expect((await post(sim, { messages: [hello] })).status).toBe(400);
  expect(sim.violations).toHaveLength(1);
});
