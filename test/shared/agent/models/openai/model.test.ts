/** What only this adapter does; `conformance.test.ts` has what all do. */
import { afterEach, describe, expect, it } from 'vitest';
import { LEAST } from '../../../../../shared/agent/model/capabilities.ts';
import type { AssistantBlock, ModelReply, ModelRequest } from '../../../../../shared/agent/model/model.ts';
import { ModelError } from '../../../../../shared/agent/model/model-errors.ts';
import type { ModelOptions } from '../../../../../shared/agent/model/model-options.ts';
import { createOpenaiModel } from '../../../../../shared/agent/models/openai/model.ts';
import type { Dialect } from '../../../../sim/chat/dialect.ts';
import { type ChatSim, startChatSim } from '../../../../sim/chat/start.ts';
import { reply, type Step, text, thinking, toolUse } from '../../../../sim/messages/reply.ts';
import { never } from '../../agent-run.ts';

let sims: ChatSim[] = [];
afterEach(async () => {
  await Promise.all(sims.map((sim) => sim.close()));
  sims = [];
});

const READ = { name: 'Read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } };
const SUBMIT = { name: 'submit_review', description: 'Submits.', inputSchema: { type: 'object', properties: {} } };

const hello = { role: 'user', blocks: [{ kind: 'text', text: 'Hello.' }] } as const;

const request = (patch: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-sonnet-5-5',
  maxOutputTokens: 1_000,
  system: [{ kind: 'text', text: 'You review.' }],
  tools: [READ],
  messages: [hello],
  ...patch,
});

type Asking = {
  readonly dialect?: Partial<Dialect>;
  readonly options?: Partial<ModelOptions>;
  readonly request?: Partial<ModelRequest>;
};

const open = async (step: Step, dialect: Partial<Dialect> = {}): Promise<ChatSim> => {
  const sim = await startChatSim({ dialect });
  sims.push(sim);
  sim.script([step]);
  return sim;
};

const respond = (sim: ChatSim, asking: Asking = {}): Promise<ModelReply> =>
  createOpenaiModel({
    apiKey: sim.apiKey,
    baseUrl: sim.url,
    stream: true,
    idleTimeoutMs: 300,
    callTimeoutMs: 5_000,
    nowMs: () => Date.now(),
    ...asking.options,
  }).respond(request(asking.request), never);

const ask = async (step: Step, asking: Asking = {}): Promise<ModelReply> =>
  respond(await open(step, asking.dialect), asking);

const failure = async (step: Step, asking: Asking = {}): Promise<ModelError> => {
  const error: unknown = await ask(step, asking).catch((thrown: unknown) => thrown);
  if (!(error instanceof ModelError)) throw new Error('it must fail with a ModelError', { cause: error });
  return error;
};

const bodyOf = (sim: ChatSim, at = 0): Record<string, unknown> => JSON.parse(sim.requests[at]?.body ?? '{}');

const raw = (body: string, contentType = 'text/event-stream', status = 200): Step => ({
  kind: 'raw',
  status,
  headers: { 'content-type': contentType },
  body,
});

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

const two = reply([text('Looking.'), toolUse('Read', { path: 'a.ts' }), toolUse('Read', { path: 'b.ts' })]);
const TWO_CALLS = [
  { kind: 'tool_call', name: 'Read', input: { path: 'a.ts' } },
  { kind: 'tool_call', name: 'Read', input: { path: 'b.ts' } },
];

const callsOf = ({ blocks }: ModelReply): readonly AssistantBlock[] =>
  blocks.filter(({ kind }) => kind === 'tool_call');

describe.each([true, false])('bad input, with stream: %s,', (stream) => {
  const options = { stream };

  it('without usage is counted by its bytes, and says so', async () => {
    const got = await ask(reply('ok'), { dialect: { usage: 'never' }, options });
    expect(got).toMatchObject({
      stopReason: 'end_turn',
      isUsageEstimated: true,
      blocks: [{ kind: 'text', text: 'ok' }],
    });
    expect(got.usage.uncachedInput).toBeGreaterThan(100);
    expect(got.usage.output).toBe(1);
  });

  it.each<[string, Partial<Dialect>]>([
    ['in one piece', { calls: 'whole' }],
    ['that all have number 0', { callIndexes: 'zero' }],
    ['without numbers', { callIndexes: 'none' }],
    ['without ids', { callIds: 'none' }],
    ['without ids, in one piece', { callIds: 'none', calls: 'whole' }],
    ['that end with "stop"', { finishOfCalls: 'stop' }],
    ['as text', { calls: 'text' }],
    ['as text behind reasoning', { calls: 'text', reasoning: 'tags' }],
  ])('is understood: calls %s', async (_name, dialect) => {
    const got = await ask(reply([thinking('Hm.'), ...two.content.slice(dialect.calls === 'text' ? 1 : 0)]), {
      dialect,
      options,
    });
    expect(got.stopReason).toBe('tool_use');
    expect(callsOf(got)).toMatchObject(TWO_CALLS);
    const ids = callsOf(got).map((call) => (call.kind === 'tool_call' ? call.id : ''));
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain('');
  });

  it('leaves a call as text that is not offered, or stands in prose, as text', async () => {
    const call = '<tool_call>\n{"name": "Read", "arguments": {"path": "a"}}\n</tool_call>';
    for (const words of [`I would call ${call}`, `${call} next.`, call.replace('Read', 'Write')]) {
      expect((await ask(reply(words), { options })).blocks).toEqual([{ kind: 'text', text: words }]);
    }
  });

  it('hands over arguments that are no JSON, and takes none as an empty object', async () => {
    const got = await ask(reply([toolUse('Read', {}, "{'path': "), toolUse('Read', {}, '')]), { options });
    expect(callsOf(got)).toMatchObject([{ input: "{'path': " }, { input: {} }]);
  });

  it('takes a call without arguments, and arguments that are an object', async () => {
    const calls = [{ function: { name: 'Read' } }, { function: { name: 'Read', arguments: { path: 'a' } } }];
    const answer = { choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }] };
    const got = await ask(raw(JSON.stringify(answer), 'application/json'), { options });
    expect(callsOf(got)).toMatchObject([
      { id: 'call_0', input: {} },
      { id: 'call_1', input: { path: 'a' } },
    ]);
  });

  it('is cut by its length', async () => {
    const got = await ask(reply('word '.repeat(2_000)), { options });
    expect([got.stopReason, got.usage.output]).toEqual(['max_tokens', 1_000]);
  });

  it('is cut by the context window, if its size is known', async () => {
    const capabilities = { ...LEAST, contextTokens: 2_000 };
    const sim = await startChatSim({
      models: [
        {
          id: 'small',
          contextTokens: 2_000,
          minCacheTokens: 1024,
          prices: [{ upToTokens: Infinity, inputUsd: 0, outputUsd: 0 }],
        },
      ],
    });
    sims.push(sim);
    sim.script([reply('word '.repeat(2_000))]);
    const messages = [{ role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'word '.repeat(1_000) }] }];
    const got = await respond(sim, { options: { stream, capabilities }, request: { model: 'small', messages } });
    expect(got.stopReason).toBe('context_exceeded');
  });

  it('of a server that cuts the prompt in silence is a full context, not a review', async () => {
    const sim = await startChatSim({
      dialect: { overflow: 'truncate' },
      models: [
        {
          id: 'tiny',
          contextTokens: 4_096,
          minCacheTokens: 1024,
          prices: [{ upToTokens: Infinity, inputUsd: 0, outputUsd: 0 }],
        },
      ],
    });
    sims.push(sim);
    sim.script([reply('LGTM')]);
    const messages = [{ role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'word '.repeat(8_000) }] }];
    expect((await respond(sim, { options, request: { model: 'tiny', messages } })).stopReason).toBe('context_exceeded');
  });

  it.each([
    ['a page of a proxy', raw('<html>Sign in</html>', 'text/html'), 'MODEL_BAD_ANSWER'],
    [
      'an error body with a status',
      raw('{"error":{"code":429,"message":"slow"}}', 'application/json'),
      'MODEL_RATE_LIMITED',
    ],
    [
      'an error body with a type',
      raw('{"error":{"type":"server_error","message":"x"}}', 'application/json'),
      'MODEL_UNAVAILABLE',
    ],
    ['an error body of words', raw('{"error":"model runner has crashed"}', 'application/json'), 'MODEL_UNAVAILABLE'],
    [
      'an account without credit',
      raw('{"error":{"code":"insufficient_quota","message":"x"}}', 'application/json'),
      'MODEL_UNAUTHORISED',
    ],
    ['no choice', raw('{"choices":[]}', 'application/json'), 'MODEL_BAD_ANSWER'],
    ['half a document', raw('{"choices":[{"mess', 'application/json'), 'MODEL_BAD_ANSWER'],
    ['another format', raw('[1, 2]', 'application/json'), 'MODEL_BAD_ANSWER'],
  ] as const)('with status 200 and %s is a failure', async (_name, step, code) => {
    expect((await failure(step, { options })).code).toBe(code);
  });

  it.each([
    ['an object', 'object'],
    ['a list of objects', 'list'],
    ['words', 'string'],
    ['a bare object', 'bare'],
    ['a detail', 'detail'],
  ] as const)('that does not fit is recognised in an error body of %s', async (_name, errors) => {
    const sim = await startChatSim({
      dialect: { errors, reservesOutput: true },
      models: [
        {
          id: 'tiny',
          contextTokens: 500,
          minCacheTokens: 1024,
          prices: [{ upToTokens: Infinity, inputUsd: 0, outputUsd: 0 }],
        },
      ],
    });
    sims.push(sim);
    await expect(respond(sim, { options, request: { model: 'tiny' } })).rejects.toMatchObject({
      code: 'MODEL_REQUEST_TOO_LONG',
    });
  });

  it.each([
    ['content_filter', raw('{"error":{"code":"content_filter","message":"x","type":null}}', 'application/json', 400)],
    [
      'moderation',
      raw('{"error":{"code":403,"message":"x","metadata":{"reasons":["violence"]}}}', 'application/json', 403),
    ],
  ])('refused for its content as %s is a refusal', async (refusalCategory, step) => {
    expect(await ask(step, { options })).toMatchObject({ stopReason: 'refusal', refusalCategory, blocks: [] });
  });

  it('with a refusal in words is a refusal', async () => {
    const got = await ask(reply([], { refusal: { category: null, explanation: 'I cannot help.' } }), { options });
    expect(got).toMatchObject({ stopReason: 'refusal', refusalCategory: 'model' });
  });

  it('with a reason that nobody knows is a cut answer', async () => {
    expect((await ask(reply('x', { stopReason: 'pause_turn' }), { options })).stopReason).toBe('other');
  });
});

describe('a stream', () => {
  it('without [DONE] is whole once its reason came', async () => {
    const got = await ask(two, { dialect: { done: false } });
    expect([got.stopReason, callsOf(got).length]).toEqual(['tool_use', 2]);
    expect(got.isUsageEstimated).toBeUndefined();
  });

  it.each([
    ['ends without its reason', chunk({ content: 'half' }), 'MODEL_STREAM_CUT', { kind: 'unreported', output: 2 }],
    [
      'ends in the middle of an event',
      `${chunk({ content: 'half' })}data: {"choi`,
      'MODEL_STREAM_CUT',
      { kind: 'unreported', output: 2 },
    ],
    [
      'has an event that is no JSON',
      `${chunk({ content: 'half' })}data: {"choi\n\n`,
      'MODEL_BAD_ANSWER',
      { kind: 'unreported', output: 2 },
    ],
    ['is empty', '', 'MODEL_STREAM_CUT', { kind: 'input' }],
    ['is [DONE] alone', 'data: [DONE]\n\n', 'MODEL_STREAM_CUT', { kind: 'input' }],
    [
      'begins with an error',
      'data: {"error":{"message":"x","code":502}}\n\n',
      'MODEL_UNAVAILABLE',
      { kind: 'nothing' },
    ],
    [
      'breaks off with an error',
      `${chunk({ content: 'half' })}data: {"error":{"code":"server_error","message":"x"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}\n\n`,
      'MODEL_UNAVAILABLE',
      { kind: 'unreported', output: 2 },
    ],
  ])('that %s is a failure', async (_name, body, code, cost) => {
    const error = await failure(raw(body));
    expect([error.code, error.retryable, error.cost]).toEqual([code, true, cost]);
  });

  it('that falls silent or breaks behind its reason is whole', async () => {
    const events = 6;
    for (const transport of [{ stallAfterEvents: events }, { cutAfterEvents: events }]) {
      const got = await ask(reply('ok', { transport }), { dialect: { done: false, usage: 'every-chunk' } });
      expect(got).toMatchObject({ stopReason: 'end_turn', blocks: [{ kind: 'text', text: 'ok' }] });
    }
  });

  it('is kept open by comments', async () => {
    const slow = reply('word '.repeat(30), { transport: { pings: true, gapMs: 200 } });
    expect((await ask(slow)).stopReason).toBe('end_turn');
  });

  it('may begin with a result of a filter and report its usage in every chunk', async () => {
    const got = await ask(two, { dialect: { filterChunk: true, usage: 'every-chunk', comments: true } });
    expect(callsOf(got)).toMatchObject(TWO_CALLS);
    expect(got.isUsageEstimated).toBeUndefined();
  });

  it('is asked for, and one document is taken instead', async () => {
    const sim = await open(two, { streams: false });
    expect(callsOf(await respond(sim))).toMatchObject(TWO_CALLS);
    expect(bodyOf(sim)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });
});

describe('usage', () => {
  const usage = async (fields: object) =>
    (
      await ask(
        raw(
          JSON.stringify({ choices: [{ message: { content: 'x' }, finish_reason: 'stop' }], usage: fields }),
          'application/json',
        ),
      )
    ).usage;

  it.each([
    ['nothing cached', { prompt_tokens: 10, completion_tokens: 5 }, [10, 0, 0, 5]],
    [
      'cached tokens',
      { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } },
      [20, 80, 0, 5],
    ],
    [
      'null for unknown',
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: null, total_tokens: null },
      [10, 0, 0, 5],
    ],
    [
      'OpenRouter',
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
      [10, 60, 30, 5],
    ],
    [
      'LiteLLM',
      { prompt_tokens: 100, completion_tokens: 5, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
      [10, 60, 30, 5],
    ],
    [
      'DeepSeek',
      { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      [36, 64, 0, 5],
    ],
    ['reasoning only in the total', { prompt_tokens: 100, completion_tokens: 5, total_tokens: 150 }, [100, 0, 0, 50]],
    [
      'more cached than read',
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } },
      [0, 10, 0, 5],
    ],
  ])('with %s', async (_name, fields, [uncachedInput, cacheRead, cacheWrite, output]) => {
    expect(await usage(fields)).toEqual({ uncachedInput, cacheRead, cacheWrite, cacheWriteLong: 0, output });
  });
});

describe('reasoning', () => {
  const fields = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

  it.each(fields)('in %s goes back with the calls of its message, and nowhere else', async (reasoning) => {
    const sim = await open(reply([thinking('I think.'), toolUse('Read', { path: 'a' })]), {
      reasoning,
      needsReasoning: true,
    });
    const first = await respond(sim);
    const id = callsOf(first)[0]?.kind === 'tool_call' ? (callsOf(first)[0] as { id: string }).id : '';
    const result = { role: 'user', blocks: [{ kind: 'tool_result', callId: id, text: 'x', isError: true }] } as const;
    const later = [hello, { role: 'assistant', blocks: first.blocks } as const, result];
    sim.script([reply([thinking('Done.'), text('ok')])]);
    const second = await respond(sim, { request: { messages: later } });
    sim.script([reply('again')]);
    const ended = { role: 'assistant', blocks: second.blocks } as const;
    await respond(sim, { request: { messages: [...later, ended, hello] } });
    expect(sim.requests.map(({ problem }) => problem)).toEqual([null, null, null]);
    expect(bodyOf(sim, 1)['messages']).toMatchObject([
      { role: 'system', content: 'You review.' },
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: null, [reasoning]: expect.anything() },
      { role: 'tool', tool_call_id: id, content: 'Error: x' },
    ]);
  });

  it('signs calls, whose signatures go back with them', async () => {
    const sim = await open(two, { signsCalls: true });
    const first = await respond(sim);
    const results = callsOf(first).flatMap((block) =>
      block.kind === 'tool_call' ? [{ kind: 'tool_result' as const, callId: block.id, text: 'x', isError: false }] : [],
    );
    sim.script([reply('ok')]);
    const messages = [
      hello,
      { role: 'assistant' as const, blocks: first.blocks },
      { role: 'user' as const, blocks: results },
    ];
    await respond(sim, { request: { messages } });
    expect(sim.requests.map(({ problem }) => problem)).toEqual([null, null]);
  });

  it('alone leaves no empty message behind', async () => {
    const sim = await open(reply('ok'));
    const alone = { role: 'assistant', blocks: [{ kind: 'opaque', value: { reasoning_content: 'Hm.' } }] } as const;
    await respond(sim, { request: { messages: [hello, alone, hello] } });
    expect(bodyOf(sim)['messages']).toEqual([
      { role: 'system', content: 'You review.' },
      { role: 'user', content: 'Hello.\n\nHello.' },
    ]);
  });

  it('of another provider is left out', async () => {
    const sim = await open(reply('ok'));
    const blocks = [
      { kind: 'opaque', value: { type: 'thinking', thinking: 'x', signature: 'y' } },
      { kind: 'text', text: 'A' },
    ] as const;
    await respond(sim, { request: { messages: [hello, { role: 'assistant', blocks }, hello] } });
    expect(bodyOf(sim)['messages']).toMatchObject([{}, {}, { role: 'assistant', content: 'A' }, {}]);
    expect(sim.requests[0]?.body).not.toContain('signature');
  });

  it('between tags is no part of the answer', async () => {
    const got = await ask(reply([thinking('Hm.'), text('ok')]), { dialect: { reasoning: 'tags' } });
    expect(got.blocks).toEqual([{ kind: 'text', text: 'ok' }]);
  });
});

describe('a request', () => {
  it('has nothing that some server does not know', async () => {
    const sim = await open(reply('ok'));
    await respond(sim);
    expect(Object.keys(bodyOf(sim)).toSorted()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'stream',
      'stream_options',
      'tools',
    ]);
    const {
      host,
      connection,
      'content-length': length,
      'accept-encoding': encoding,
      ...headers
    } = sim.requests[0]?.headers ?? {};
    expect([host, connection, length, encoding].every((each) => each !== '')).toBe(true);
    expect(headers).toEqual({
      accept: 'application/json',
      'accept-language': '*',
      authorization: `Bearer ${sim.apiKey}`,
      'content-type': 'application/json',
      'sec-fetch-mode': 'cors',
      'user-agent': 'fixpoint',
    });
  });

  it.each<[string, Partial<typeof LEAST>, object]>([
    ['allows parallel calls', { parallelTools: true }, { parallel_tool_calls: true }],
    ['forbids parallel calls', { parallelTools: false }, { parallel_tool_calls: false }],
    ['names the effort', { effort: 'high' }, { reasoning_effort: 'high' }],
    ['uses the newer limit', { outputLimit: 'max_completion_tokens' }, { max_completion_tokens: 1_000 }],
    [
      'forces the last tool',
      { forcedTool: true },
      { tool_choice: { type: 'function', function: { name: 'submit_review' } } },
    ],
    [
      'restricts the last answer where the tool cannot be forced',
      { jsonSchema: true },
      { response_format: { type: 'json_schema', json_schema: { name: 'submit_review', schema: SUBMIT.inputSchema } } },
    ],
  ])('%s if the server can', async (_name, patch, expected) => {
    const sim = await open(reply('ok'));
    const asked = { tools: [READ, SUBMIT], mustCall: 'submit_review' };
    await respond(sim, { options: { capabilities: { ...LEAST, ...patch } }, request: asked });
    expect(bodyOf(sim)).toMatchObject(expected);
    expect(sim.requests[0]?.problem).toBeNull();
    const plain = await open(reply('ok'));
    await respond(plain, { request: asked });
    for (const field of Object.keys(expected)) expect(bodyOf(plain)).not.toHaveProperty(field);
  });

  it('marks at most four places for the cache, if the server wants marks', async () => {
    const cached = { kind: 'text', text: 'x', cache: true } as const;
    const asked = {
      system: [cached, cached],
      messages: [{ role: 'user' as const, blocks: [cached, cached, cached, cached] }],
    };
    const sim = await open(reply('ok'), { caches: 'marked' });
    await respond(sim, { options: { capabilities: { ...LEAST, cacheBreakpoints: true } }, request: asked });
    expect(sim.requests[0]?.body.match(/cache_control/g)).toHaveLength(4);
    expect(bodyOf(sim)['messages']).toMatchObject([
      { content: [{ text: 'x' }, { cache_control: {} }] },
      { content: [{}, { cache_control: {} }, { cache_control: {} }, { cache_control: {} }] },
    ]);
    const plain = await open(reply('ok'));
    await respond(plain, { request: asked });
    expect(plain.requests[0]?.body).not.toContain('cache_control');
  });

  it('carries headers of the operator, and no key where there is none', async () => {
    const sim = await open(reply('ok'), { key: 'api-key' });
    await respond(sim, { options: { apiKey: '', headers: { 'api-key': sim.apiKey } } });
    expect(sim.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('takes nothing from the environment', async () => {
    process.env['OPENAI_CUSTOM_HEADERS'] = 'x-from-env: 1';
    process.env['OPENAI_ORG_ID'] = 'org';
    try {
      const sim = await open(reply('ok'));
      await respond(sim);
      expect(JSON.stringify(sim.requests[0]?.headers)).not.toMatch(/x-from-env|org/);
    } finally {
      delete process.env['OPENAI_CUSTOM_HEADERS'];
      delete process.env['OPENAI_ORG_ID'];
    }
  });
});
