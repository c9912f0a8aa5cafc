/** What goes wrong on purpose, seen through the SDK's client. */
import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { type Transport, fail, reply, reset, stall, text, toolUse } from '../sim/messages/reply.ts';
import { ask, errorOf, openScene, tool } from './messages-client.ts';

test.each([
  [400, Anthropic.BadRequestError, 'invalid_request_error'],
  [401, Anthropic.AuthenticationError, 'authentication_error'],
  [402, Anthropic.PaymentRequiredError, 'billing_error'],
  [403, Anthropic.PermissionDeniedError, 'permission_error'],
  [404, Anthropic.NotFoundError, 'not_found_error'],
  [409, Anthropic.ConflictError, 'conflict_error'],
  [413, Anthropic.ContentTooLargeError, 'request_too_large'],
  [429, Anthropic.RateLimitError, 'rate_limit_error'],
  [500, Anthropic.InternalServerError, 'api_error'],
  [502, Anthropic.InternalServerError, 'api_error'],
  [503, Anthropic.ServiceUnavailableError, 'api_error'],
  [504, Anthropic.GatewayTimeoutError, 'timeout_error'],
  [529, Anthropic.OverloadedError, 'overloaded_error'],
] as const)('answers %i as the SDK knows it', async (status, kind, type) => {
  const { sim, client } = await openScene();
  sim.script([fail(status, { message: 'as scripted', errorCode: 'because' })]);
  const error = await errorOf(client.messages.create(ask()));
  expect(error).toBeInstanceOf(kind);
  expect([error.status, error.type, error.apiMessage, error.errorCode]).toEqual([
    status,
    type,
    'as scripted',
    'because',
  ]);
  expect(error.requestID).toBe(sim.requests[0]?.requestId);
  expect(sim.spend().calls).toBe(0);
});

test('says when to come back, or does not', async () => {
  const { sim, client } = await openScene();
  sim.script([
    fail(429, { headers: { 'retry-after': '2' } }),
    fail(429),
    fail(529, { headers: { 'x-should-retry': 'false' } }),
  ]);
  const waits = [];
  for (let call = 0; call < 3; call++) {
    const { headers } = await errorOf(client.messages.create(ask()));
    waits.push([headers?.get('retry-after'), headers?.get('x-should-retry')]);
  }
  expect(waits).toEqual([
    ['2', null],
    [null, null],
    [null, 'false'],
  ]);
});

test('refuses by itself what goes beyond a rate limit, until the minute is over', async () => {
  const { sim, client, advance } = await openScene({
    rateLimits: { requests: 2, inputTokens: 100, outputTokens: 100 },
  });
  sim.script(() => reply('ok'));
  await client.messages.create(ask());
  advance(20_000);
  await client.messages.create(ask());
  const error = await errorOf(client.messages.create(ask()));
  expect(error).toBeInstanceOf(Anthropic.RateLimitError);
  expect(error.headers?.get('retry-after')).toBe('40');
  advance(40_000);
  expect((await client.messages.create(ask())).stop_reason).toBe('end_turn');
});

test('limits fresh input and output, not what is read from the cache', async () => {
  const { sim, client } = await openScene({ rateLimits: { requests: 99, inputTokens: 2500, outputTokens: 10 } });
  sim.script(() => reply('x'.repeat(14)));
  const cached = ask({ messages: [{ role: 'user', content: 'x'.repeat(7000) }], cache_control: { type: 'ephemeral' } });
  await client.messages.create(cached);
  await client.messages.create(cached);
  expect((await errorOf(client.messages.create(ask({ system: 'y'.repeat(3500) })))).apiMessage).toContain(
    'input tokens',
  );
  await client.messages.create(cached);
  expect((await errorOf(client.messages.create(cached))).apiMessage).toContain('output tokens');
});

test('is retried by a client that retries', async () => {
  const { sim } = await openScene();
  const client = new Anthropic({ baseURL: sim.url, apiKey: sim.apiKey, maxRetries: 2, logLevel: 'off' });
  sim.script([
    fail(529, { headers: { 'retry-after-ms': '1' } }),
    fail(500, { headers: { 'retry-after-ms': '1' } }),
    reply('ok'),
  ]);
  expect((await client.messages.create(ask())).content).toMatchObject([{ text: 'ok' }]);
  expect(sim.requests.map(({ status, turn, call }) => [status, turn, call])).toEqual([
    [529, 0, 0],
    [500, 0, 1],
    [200, 0, 2],
  ]);
});

test.each(['before-headers', 'after-headers'] as const)('resets the connection %s', async (when) => {
  const { sim, client } = await openScene();
  sim.script([reset(when), reset(when)]);
  const plain = await errorOf(client.messages.create(ask()));
  const streamed = await errorOf(client.messages.stream(ask()).finalMessage());
  expect(plain).toBeInstanceOf(Error);
  expect(streamed).toBeInstanceOf(Anthropic.AnthropicError);
  if (when === 'before-headers') expect(plain).toBeInstanceOf(Anthropic.APIConnectionError);
  expect(sim.requests.map(({ outcome, usage }) => [outcome, usage])).toEqual([
    ['reset', null],
    ['reset', null],
  ]);
  expect(sim.aborted).toEqual([]);
});

const long = [text('a long answer '.repeat(20)), toolUse('Read', { path: 'src/deep/down.ts' })];

test.each<[what: string, transport: Transport, outcome: string]>([
  ['cut behind no event', { cutAfterEvents: 0 }, 'cut'],
  ['cut behind the first event', { cutAfterEvents: 1 }, 'cut'],
  ['cut in the middle', { cutAfterEvents: 5 }, 'cut'],
  ['cut behind 100 bytes', { cutAfterBytes: 100 }, 'cut'],
  ['ended behind no event', { endAfterEvents: 0 }, 'ended-early'],
  ['broken by an error event', { errorAfterEvents: { events: 3 } }, 'error-event'],
])('gives no message when the stream is %s', async (_, transport, outcome) => {
  const { sim, client } = await openScene();
  sim.script([reply(long, { transport })]);
  const error = await errorOf(client.messages.stream(ask({ tools: [tool('Read')] })).finalMessage());
  expect(error).toBeInstanceOf(Anthropic.AnthropicError);
  expect(error.status).toBeUndefined();
  expect(sim.requests[0]).toMatchObject({ outcome, status: 200 });
  expect(sim.spend().costUsd).toBeGreaterThan(0);
});

test('names the type of an error event in the middle of a stream', async () => {
  const { sim, client } = await openScene();
  const fault = { events: 4, type: 'api_error', message: 'Internal server error' } as const;
  sim.script([
    reply(long, { transport: { errorAfterEvents: { events: 2 } } }),
    reply(long, { transport: { errorAfterEvents: fault } }),
  ]);
  const request = ask({ tools: [tool('Read')] });
  const [first, second] = [
    await errorOf(client.messages.stream(request).finalMessage()),
    await errorOf(client.messages.stream(request).finalMessage()),
  ];
  expect([first.type, first.apiMessage]).toEqual(['overloaded_error', 'Overloaded']);
  expect([second.type, second.apiMessage]).toEqual(['api_error', 'Internal server error']);
});

test('ends in order but without message_stop: whoever reads on must notice', async () => {
  const { sim, client } = await openScene();
  sim.script([reply(long, { transport: { endAfterEvents: 6 } })]);
  const seen: string[] = [];
  for await (const event of await client.messages.create({ ...ask({ tools: [tool('Read')] }), stream: true })) {
    seen.push(event.type);
  }
  expect(seen).toHaveLength(6);
  expect(seen).not.toContain('message_stop');
  expect(sim.requests[0]?.outcome).toBe('ended-early');
});

test('cuts a plain answer behind some bytes, or ends it in the middle of its JSON', async () => {
  const { sim, client } = await openScene();
  sim.script([reply(long, { transport: { cutAfterBytes: 50 } }), reply(long, { transport: { truncateJson: true } })]);
  const request = ask({ tools: [tool('Read')] });
  expect(await errorOf(client.messages.create(request))).toBeInstanceOf(Error);
  expect(await errorOf(client.messages.create(request))).toBeInstanceOf(SyntaxError);
  expect(sim.requests.map(({ outcome }) => outcome)).toEqual(['cut', 'ended-early']);
});

test('sends broken JSON as a tool input', async () => {
  const { sim, client } = await openScene();
  const broken = toolUse('Read', {}, '{"path": "a", ');
  sim.script([reply([broken]), reply([broken])]);
  const plain = await client.messages.create(ask({ tools: [tool('Read')] }));
  expect(plain.content).toMatchObject([{ type: 'tool_use', input: '{"path": "a", ' }]);
  const deltas: string[] = [];
  for await (const event of await client.messages.create({ ...ask({ tools: [tool('Read')] }), stream: true })) {
    if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
      deltas.push(event.delta.partial_json);
  }
  expect(deltas).toEqual(['', '{"path": "a", ']);
});

test('answers with the page of a proxy', async () => {
  const { sim, client } = await openScene();
  sim.script([{ kind: 'raw', status: 502, body: '<h1>Bad gateway</h1>', headers: { server: 'proxy' } }]);
  const error = await errorOf(client.messages.create(ask()));
  expect([error.status, error.type, error.headers?.get('server')]).toEqual([502, null, 'proxy']);
});

test('stalls before the first byte until the client gives up, and notices that', async () => {
  const { sim, client } = await openScene();
  sim.script([stall]);
  const controller = new AbortController();
  const pending = errorOf(client.messages.create(ask(), { signal: controller.signal }));
  await sim.until(() => sim.requests.length === 1);
  expect(sim.aborted).toEqual([]);
  controller.abort();
  expect(await pending).toBeInstanceOf(Anthropic.APIUserAbortError);
  await sim.until(() => sim.aborted.length === 1);
  expect(sim.requests[0]).toMatchObject({ outcome: 'aborted', usage: null, requestId: sim.aborted[0] });
});

test('stalls in the middle of a stream until the client gives up', async () => {
  const { sim, client } = await openScene();
  sim.script([reply(long, { transport: { stallAfterEvents: 3 } })]);
  const stream = client.messages.stream(ask({ tools: [tool('Read')] }));
  let seen = 0;
  stream.on('streamEvent', () => {
    seen++;
    if (seen === 3) stream.abort();
  });
  expect(await errorOf(stream.finalMessage())).toBeInstanceOf(Anthropic.APIUserAbortError);
  await sim.until(() => sim.aborted.length === 1);
  expect(sim.requests[0]).toMatchObject({ outcome: 'aborted', stopReason: 'tool_use' });
});

test('stalls a plain answer behind its headers until the client gives up', async () => {
  const { sim, client } = await openScene();
  sim.script([reply(long, { transport: { stallAfterEvents: 0 } })]);
  const controller = new AbortController();
  const pending = errorOf(client.messages.create(ask({ tools: [tool('Read')] }), { signal: controller.signal }));
  await sim.until(() => sim.requests[0]?.status === 200);
  controller.abort();
  expect(await pending).toBeInstanceOf(Error);
  await sim.until(() => sim.aborted.length === 1);
  expect(sim.requests[0]).toMatchObject({ outcome: 'aborted', status: 200 });
});

test('is slow where the script says so, and lets a client that does not wait go', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('late', { transport: { delayMs: 10_000 } }), fail(500, { delayMs: 10_000 })]);
  for (let call = 0; call < 2; call++) {
    expect(await errorOf(client.messages.create(ask(), { timeout: 30 }))).toBeInstanceOf(
      Anthropic.APIConnectionTimeoutError,
    );
  }
  await sim.until(() => sim.aborted.length === 2);
  expect(sim.spend().calls).toBe(0);
});

test('closes while a client waits', async () => {
  const { sim, client } = await openScene();
  sim.script([stall]);
  const pending = errorOf(client.messages.create(ask()));
  await sim.until(() => sim.requests.length === 1);
  await sim.close();
  expect(await pending).toBeInstanceOf(Anthropic.APIConnectionError);
});
