/** What every adapter does over HTTP, against a simulated server with all rules of its API. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelOptions } from '../../../../shared/agent/model/model-options.ts';
import type { ModelRequest } from '../../../../shared/agent/model/model.ts';
import { ModelError } from '../../../../shared/agent/model/model-errors.ts';
import { runTurns } from '../../../../shared/agent/run-turns.ts';
import { fail, refuse, reply, reset, stall, type Step, text, thinking, toolUse } from '../../../sim/messages/reply.ts';
import type { ChatSim } from '../../../sim/chat/start.ts';
import { freePort } from '../../../support/redis.ts';
import { connectWire, WIRES } from '../../../support/wires.ts';
import { writeFiles } from '../../workspace/folder.ts';
import { never, newWorkspace, testRun } from '../agent-run.ts';
import { REVIEW } from '../scripted-model.ts';

describe.each(WIRES)('$kind:', (wire) => {
  let sim: ChatSim;
  beforeEach(async () => {
    sim = await wire.start();
  });
  afterEach(async () => {
    await sim.close();
  });

  const connect = (patch: Partial<ModelOptions> = {}) => connectWire(wire, sim, patch);

  const request = (patch: Partial<ModelRequest> = {}): ModelRequest => ({
    model: 'claude-sonnet-5-5',
    maxOutputTokens: 1_000,
    system: [{ kind: 'text', text: 'You review.' }],
    tools: [],
    messages: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello.' }] }],
    ...patch,
  });

  const failure = async (step: Step | null, patch: Partial<ModelOptions> = {}): Promise<ModelError> => {
    if (step !== null) sim.script([step]);
    const error: unknown = await connect(patch)
      .respond(request(), never)
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof ModelError)) throw new Error('it must fail with a ModelError', { cause: error });
    return error;
  };

  describe.each([true, false])('with stream: %s, the adapter', (stream) => {
    it('reads text, calls and thinking, and the whole usage', async () => {
      const content = [
        thinking('Let me see.'),
        text('Looking. Ünïcödé 한'),
        toolUse('Read', { path: 'a.ts', offset: 3 }),
      ];
      sim.script([reply(content, { transport: { pieceBytes: 7, pings: true, unknownEvent: true } })]);
      const tools = [{ name: 'Read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }];
      const got = await connect({ stream }).respond(request({ tools }), never);
      expect(got).toMatchObject({
        stopReason: 'tool_use',
        refusalCategory: null,
        blocks: [
          {
            kind: 'opaque',
            value:
              wire.kind === 'anthropic'
                ? { type: 'thinking', signature: expect.any(String) }
                : { reasoning_content: 'Let me see.' },
          },
          { kind: 'text', text: 'Looking. Ünïcödé 한' },
          { kind: 'tool_call', name: 'Read', input: { path: 'a.ts', offset: 3 } },
        ],
      });
      const [entry] = sim.requests;
      expect(got.usage.uncachedInput).toBe(entry?.usage?.inputTokens);
      expect(got.usage.output).toBe(entry?.usage?.outputTokens);
      expect(sim.violations).toEqual([]);
    });

    it.each([
      ['a name with blanks', 'bash ', 'bash_'],
      ['a name of other characters', 'Прочитай', '________'],
      ['no name', '', 'unnamed'],
      ['a name without an end', 'n'.repeat(500), 'n'.repeat(64)],
    ])('hands a call of %s back as the API takes it, with its result', async (_, name, written) => {
      sim.script([reply('ok')]);
      const id = `odd id ${name}`.slice(0, 40);
      await connect({ stream }).respond(
        request({
          messages: [
            { role: 'user', blocks: [{ kind: 'text', text: 'Hello.' }] },
            { role: 'assistant', blocks: [{ kind: 'tool_call', id, name, input: {} }] },
            {
              role: 'user',
              blocks: [{ kind: 'tool_result', callId: id, text: 'there is no such tool', isError: true }],
            },
          ],
          tools: [{ name: 'Read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }],
        }),
        never,
      );
      expect(sim.requests.map(({ problem }) => problem)).toEqual([null]);
      expect(sim.requests[0]?.body).toContain(`"name":"${written}"`);
    });

    it.each([
      ['refusal', refuse('cyber'), { stopReason: 'refusal', refusalCategory: expect.any(String) }],
      ['end_turn', reply('done'), { stopReason: 'end_turn' }],
      ['max_tokens', reply('cut', { stopReason: 'max_tokens' }), { stopReason: 'max_tokens' }],
      [
        'a full context',
        reply('x', { stopReason: 'model_context_window_exceeded' }),
        { stopReason: 'context_exceeded' },
      ],
      ['nothing at all', reply([]), { stopReason: 'end_turn', blocks: [] }],
    ] as const)('gives %s as a value', async (_name, step, expected) => {
      sim.script([step]);
      const got = await connect({ stream }).respond(request(), never);
      expect(got).toMatchObject(expected);
      expect(got.usage.uncachedInput).toBeGreaterThan(0);
    });

    it.each([
      [400, 'MODEL_REQUEST_REFUSED', false],
      [401, 'MODEL_UNAUTHORISED', false],
      [402, 'MODEL_UNAUTHORISED', false],
      [403, 'MODEL_UNAUTHORISED', false],
      [404, 'MODEL_REQUEST_REFUSED', false],
      [408, 'MODEL_UNAVAILABLE', true],
      [409, 'MODEL_UNAVAILABLE', true],
      [413, 'MODEL_REQUEST_TOO_LONG', false],
      [422, 'MODEL_REQUEST_REFUSED', false],
      [429, 'MODEL_RATE_LIMITED', true],
      [500, 'MODEL_UNAVAILABLE', true],
      [502, 'MODEL_UNAVAILABLE', true],
      [503, 'MODEL_UNAVAILABLE', true],
      [504, 'MODEL_UNAVAILABLE', true],
      [529, 'MODEL_OVERLOADED', true],
    ])('classes a %s', async (status, code, retryable) => {
      const error = await failure(fail(status), { stream });
      expect([error.code, error.retryable, error.cost]).toEqual([code, retryable, { kind: 'nothing' }]);
      expect(sim.requests).toHaveLength(1);
      expect(error.fields['requestId']).toBe(sim.requests[0]?.requestId);
    });

    it('reads how long it shall wait, in seconds or milliseconds', async () => {
      const seconds = await failure(fail(429, { headers: { 'retry-after': '7' } }), { stream });
      const exact = await failure(fail(529, { headers: { 'retry-after-ms': '250' } }), { stream });
      const silent = await failure(fail(429), { stream });
      expect([seconds.retryAfterMs, exact.retryAfterMs]).toEqual([7_000, 250]);
      expect(silent.disposition).toEqual({ kind: 'retry' });
    });

    it.each([
      ['a page of a proxy', { kind: 'raw', status: 200, body: '<html>hello</html>' }],
      ['a reset before the headers', reset('before-headers')],
      ['a reset behind them', reset('after-headers')],
    ] as const)('survives %s as a failure that may pass', async (_name, step) => {
      const error = await failure(step, { stream });
      expect(error.retryable).toBe(true);
      expect(error.cost.kind).not.toBe('nothing');
    });

    it('gives up a provider that says nothing', async () => {
      const error = await failure(stall, { stream, idleTimeoutMs: 150 });
      expect([error.code, error.fields['limit'], error.cost]).toEqual([
        'MODEL_TIMED_OUT',
        'idle',
        { kind: stream ? 'input' : 'unknown' },
      ]);
      await sim.until(() => sim.aborted.length === 1, 5_000);
    });

    it('says that nobody listened when the connection was refused', async () => {
      const error = await failure(null, { stream, baseUrl: `http://127.0.0.1:${await freePort()}` });
      expect([error.code, error.cost]).toEqual(['MODEL_UNAVAILABLE', { kind: 'nothing' }]);
    });

    it('stops at once when its caller stops, with the reason of the caller, and closes the connection', async () => {
      sim.script([stall]);
      const controller = new AbortController();
      const asked = connect({ stream }).respond(request(), controller.signal);
      await sim.until(() => sim.requests.length === 1, 5_000);
      controller.abort(new Error('superseded'));
      await expect(asked).rejects.toMatchObject({
        code: 'MODEL_CALL_STOPPED',
        cause: { message: 'superseded' },
        cost: { kind: stream ? 'input' : 'unknown' },
      });
      await sim.until(() => sim.aborted.length === 1, 5_000);
    });

    it('does not follow a redirect with its key', async () => {
      const elsewhere = await wire.start();
      const away = {
        kind: 'raw',
        status: 307,
        headers: { location: `${elsewhere.url}${wire.path}` },
        body: '',
      } as const;
      const error = await failure(away, { stream });
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.close();
      expect(error.code).toBe('MODEL_UNAVAILABLE');
    });
  });

  describe('a stream', () => {
    /** The Messages API reports the input at the beginning, chat completions report everything at the end. */
    const cutCost = wire.kind === 'anthropic' ? 'streamed' : 'unreported';
    const silentCost = wire.kind === 'anthropic' ? 'at_least' : 'unknown';
    const words = text('One two three four five six seven eight nine ten. '.repeat(20));

    it('that is cut costs what was reported and streamed', async () => {
      const error = await failure(reply([words], { transport: { cutAfterEvents: 4 } }));
      expect([error.code, error.retryable]).toEqual(['MODEL_STREAM_CUT', true]);
      expect(error.cost).toMatchObject(
        wire.kind === 'anthropic'
          ? { kind: 'streamed', usage: { uncachedInput: expect.any(Number) } }
          : { kind: 'unreported', output: expect.any(Number) },
      );
    });

    it('that ends in order but without its end is cut', async () => {
      const error = await failure(reply([words], { transport: { endAfterEvents: 4 } }));
      expect(error.code).toBe('MODEL_STREAM_CUT');
    });

    it.each([
      ['overloaded_error', 'MODEL_OVERLOADED'],
      ['api_error', 'MODEL_UNAVAILABLE'],
      ['rate_limit_error', 'MODEL_RATE_LIMITED'],
    ] as const)('that fails in the middle with %s is classed by its type', async (type, code) => {
      const error = await failure(reply([words], { transport: { errorAfterEvents: { events: 3, type } } }));
      expect([error.code, error.retryable]).toEqual([code, true]);
    });

    it('F-D2: that breaks with an overload event costs its input and what was streamed', async () => {
      const broken = { errorAfterEvents: { events: 5, type: 'overloaded_error' } } as const;
      const { cost } = await failure(reply([words], { transport: broken }));
      if (cost.kind !== 'streamed' && cost.kind !== 'unreported') throw new Error(`not ${cost.kind}`);
      const output = cost.kind === 'streamed' ? cost.usage.output : cost.output;
      expect(output).toBeGreaterThan(1);
      expect(output).toBeLessThan(800);
    });

    it('F-D2: that an error event refuses before its message costs nothing', async () => {
      const body = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n';
      const headers = { 'content-type': 'text/event-stream' };
      const error = await failure({ kind: 'raw', status: 200, headers, body });
      expect([error.code, error.cost]).toEqual(['MODEL_OVERLOADED', { kind: 'nothing' }]);
    });

    it('F-D1: that its caller stops costs what was streamed until then', async () => {
      sim.script([reply([words], { transport: { stallAfterEvents: 4 } })]);
      const controller = new AbortController();
      const asked = connect().respond(request(), controller.signal);
      await sim.until(() => sim.requests.length === 1, 5_000);
      setTimeout(() => controller.abort(new Error('superseded')), 200);
      await expect(asked).rejects.toMatchObject({ code: 'MODEL_CALL_STOPPED', cost: { kind: cutCost } });
    });

    it('that falls silent in the middle is given up', async () => {
      const error = await failure(reply([words], { transport: { stallAfterEvents: 3 } }), { idleTimeoutMs: 200 });
      expect([error.code, error.fields['limit'], error.cost.kind]).toEqual(['MODEL_TIMED_OUT', 'idle', silentCost]);
    });

    it('that only pings lives until the limit of the whole call', async () => {
      const slow = reply([words], { transport: { pings: true, gapMs: 60 } });
      const error = await failure(slow, { idleTimeoutMs: 150, callTimeoutMs: 500 });
      expect([error.code, error.fields['limit']]).toEqual(['MODEL_TIMED_OUT', 'whole_call']);
    });

    it('whose call holds no JSON hands over the text', async () => {
      sim.script([reply([toolUse('Read', {}, '{"path": ')])]);
      const tools = [{ name: 'Read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }];
      const got = await connect().respond(request({ tools }), never);
      expect(got.blocks).toMatchObject([{ kind: 'tool_call', name: 'Read', input: '{"path": ' }]);
    });
  });

  describe('the loop over HTTP', () => {
    it('reviews with thinking, bad calls, a retry and a correction, and breaks no rule of the API', async () => {
      const root = newWorkspace();
      writeFiles(root, { 'src/a.ts': 'export const a = 1;\n' });
      const overloaded = fail(529, { headers: { 'retry-after-ms': '5' } });
      sim.script([
        reply([
          thinking('Where?'),
          text('Reading.'),
          toolUse('Read', { path: 'src/a.ts' }),
          toolUse('Grep', {}, '{"pat'),
        ]),
        overloaded,
        reply([thinking('Hm.')]),
        reply([toolUse('submit_review', { summary: 'x' })]),
        reply([toolUse('submit_review', { ...REVIEW, findings: [{ path: 'src/a.ts', line: 1, body: 'Wrong.' }] })]),
      ]);
      const { run } = testRun(connect(), {
        root,
        start: { system: [{ kind: 'text', text: 'Review. '.repeat(800), cache: true }] },
      });
      const result = await runTurns(run, never);
      expect(result).toMatchObject({
        kind: 'ended',
        outcome: { kind: 'submitted', submission: { findings: [{ path: 'src/a.ts', line: 1 }] } },
      });
      expect(sim.violations).toEqual([]);
      expect(sim.requests.map(({ status, problem }) => [status, problem])).toEqual([
        [200, null],
        [529, 'scripted 529'],
        [200, null],
        [200, null],
        [200, null],
      ]);
      if (result.kind !== 'ended') throw new Error('it must end');
      const paid = sim.spend();
      expect(result.spent.inputTokens).toBe(paid.inputTokens);
      expect(result.spent.outputTokens).toBe(paid.outputTokens);
      expect(result.spent.cachedTokens).toBe(paid.cacheReadTokens);
      expect(result.spent.costUsd).toBeCloseTo(paid.costUsd, 4);
      expect(sim.requests.slice(2).map(({ cachedShare }) => cachedShare > 0.8)).toEqual([true, true, true]);
    });

    it('compacts a long conversation without breaking a pair of call and result', async () => {
      const root = newWorkspace();
      writeFiles(root, { 'big.txt': 'word '.repeat(20_000) });
      let turn = 0;
      sim.script((exchange) => {
        turn += 1;
        if (exchange.heard.some((said) => said.includes('This is the last turn')))
          return reply([toolUse('submit_review', REVIEW)]);
        return reply([
          thinking('more'),
          toolUse('Read', { path: 'big.txt' }),
          toolUse('WriteNotes', { text: `turn ${turn}` }),
        ]);
      });
      writeFiles(root, { 'big.txt': `${'word '.repeat(300)}\n`.repeat(30) });
      const { run } = testRun(connect(), { root, start: { maxTurns: 9, compactAtTokens: 15_000 } });
      const result = await runTurns(run, never);
      expect(result).toMatchObject({ kind: 'ended', outcome: { kind: 'submitted' } });
      expect(sim.requests.map(({ problem }) => problem)).toEqual(Array.from({ length: 9 }, () => null));
      const compacted = sim.requests.filter(({ body }) => body.includes('was removed to save space'));
      expect(compacted.length).toBeGreaterThan(1);
      expect(compacted.at(-1)?.body).toContain('turn 1');
      const longest = Math.max(
        ...sim.requests.map(({ usage }) => (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0)),
      );
      expect(longest).toBeLessThan(45_000);
    });
  });
});
