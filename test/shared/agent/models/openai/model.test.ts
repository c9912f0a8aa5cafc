/** Streams and counts as servers send them; `conformance.test.ts` has what all adapters do. */
import { describe, expect, it } from 'vitest';
import { reply } from '../../../../sim/messages/reply.ts';
import { ask, bodyOf, callsOf, chunk, closeServers, failure, open, raw, respond, two, TWO_CALLS } from './ask.ts';

closeServers();

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

describe('a server that does not count', () => {
  it.each([
    ['nothing', {}],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['the answer alone', { completion_tokens: 5 }],
  ])('is charged by the bytes: it reports %s', async (_name, usage) => {
    const answer = { choices: [{ message: { content: 'x'.repeat(40) }, finish_reason: 'stop' }], usage };
    const got = await ask(raw(JSON.stringify(answer), 'application/json'));
    expect(got).toMatchObject({ isUsageEstimated: true, usage: { output: 20 } });
    expect(got.usage.uncachedInput).toBeGreaterThan(50);
  });

  it('is charged by the bytes for half an answer as well', async () => {
    const zero = 'data: {"choices":[{"delta":{"content":"half"}}],"usage":{"prompt_tokens":0}}\n\n';
    expect((await failure(raw(zero))).cost).toEqual({ kind: 'unreported', output: 2 });
  });
});

describe('an empty reason', () => {
  it('is none: a stream that ends with it is cut, and one behind the reason does not replace it', async () => {
    const cut = await failure(raw(chunk({ content: 'half' }, '')));
    expect([cut.code, cut.retryable]).toEqual(['MODEL_STREAM_CUT', true]);
    const whole = await ask(raw(chunk({ content: 'ok' }, 'stop') + chunk({}, '')));
    expect(whole.stopReason).toBe('end_turn');
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
    ['more than can be counted', { prompt_tokens: 1e16, completion_tokens: 1e300 }, [1e9, 0, 0, 1e9]],
    ['parts of a token', { prompt_tokens: 10.2, completion_tokens: 4.5 }, [11, 0, 0, 5]],
  ])('with %s', async (_name, fields, [uncachedInput, cacheRead, cacheWrite, output]) => {
    expect(await usage(fields)).toEqual({ uncachedInput, cacheRead, cacheWrite, cacheWriteLong: 0, output });
  });
});
