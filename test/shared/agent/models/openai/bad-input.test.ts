/** What servers answer against the rules, and the outcome of each. */
import { describe, expect, it } from 'vitest';
import { LEAST } from '../../../../../shared/agent/model/capabilities.ts';
import type { Dialect } from '../../../../sim/chat/dialect.ts';
import { reply, thinking, toolUse } from '../../../../sim/messages/reply.ts';
import { ask, callsOf, closeServers, failure, modelOf, raw, respond, startServer, two, TWO_CALLS } from './ask.ts';

closeServers();

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

  it('says that arguments were nested too deeply which came as an object, and leaves out such reasoning', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const message = `{"reasoning_details": [{"type": "x", "data": ${deep}}], "tool_calls": [{"function": {"name": "Read", "arguments": {"path": ${deep}}}}]}`;
    const answer = `{"choices": [{"message": ${message}, "finish_reason": "tool_calls"}]}`;
    const got = await ask(raw(answer, 'application/json'), { options });
    expect(got.blocks).toMatchObject([{ kind: 'tool_call', input: '[the input was nested too deeply]' }]);
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
    const sim = await startServer({
      models: [modelOf('small', 2_000)],
    });
    sim.script([reply('word '.repeat(2_000))]);
    const messages = [{ role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'word '.repeat(1_000) }] }];
    const got = await respond(sim, { options: { stream, capabilities }, request: { model: 'small', messages } });
    expect(got.stopReason).toBe('context_exceeded');
  });

  it('of a server that cuts the prompt in silence is a full context, not a review', async () => {
    const sim = await startServer({
      dialect: { overflow: 'truncate' },
      models: [modelOf('tiny', 4_096)],
    });
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
    const sim = await startServer({
      dialect: { errors, reservesOutput: true },
      models: [modelOf('tiny', 500)],
    });
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
