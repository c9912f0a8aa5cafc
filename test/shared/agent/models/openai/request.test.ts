/** What a request has, and which parts of an answer go back with the next one. */
import { describe, expect, it } from 'vitest';
import { LEAST } from '../../../../../shared/agent/model/capabilities.ts';
import { reply, text, thinking, toolUse } from '../../../../sim/messages/reply.ts';
import { ask, bodyOf, callsOf, closeServers, hello, open, READ, respond, SUBMIT, two } from './ask.ts';

closeServers();

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

  it('signs calls, whose signatures go back with them also if the loop has renamed the calls', async () => {
    const sim = await open(two, { signsCalls: true, callIds: 'none' });
    const first = await respond(sim);
    const blocks = first.blocks.map((block, at) =>
      block.kind === 'tool_call' ? { ...block, id: `again_${at}` } : block,
    );
    const results = blocks.flatMap((block) =>
      block.kind === 'tool_call' ? [{ kind: 'tool_result' as const, callId: block.id, text: 'x', isError: false }] : [],
    );
    sim.script([reply('ok')]);
    await respond(sim, {
      request: { messages: [hello, { role: 'assistant', blocks }, { role: 'user', blocks: results }] },
    });
    expect(sim.requests.map(({ problem }) => problem)).toEqual([null, null]);
  });

  it('of calls that an earlier version has stored by their ids is found', async () => {
    const sim = await open(reply('ok'), { signsCalls: true });
    const extra = { google: { thought_signature: 'signed Read' } };
    const blocks = [
      { kind: 'opaque', value: { call_extras: { call_0: extra } } },
      { kind: 'tool_call', id: 'call_0', name: 'Read', input: {} },
    ] as const;
    const results = [{ kind: 'tool_result', callId: 'call_0', text: 'x', isError: false }] as const;
    const messages = [hello, { role: 'assistant', blocks } as const, { role: 'user', blocks: results } as const];
    await respond(sim, { request: { messages } });
    expect(sim.requests.map(({ problem }) => problem)).toEqual([null]);
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

  it.each([true, 'long'] as const)(
    'marks at most four places for the cache, if the server wants marks: %s',
    async (cache) => {
      const cached = { kind: 'text', text: 'x', cache } as const;
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
    },
  );

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
