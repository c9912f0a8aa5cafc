/** The rules of the prompt cache, and what they do to the bill. */
import type Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MODELS } from '../sim/messages/models.ts';
import { costUsd } from '../sim/messages/prices.ts';
import { createPromptCache } from '../sim/messages/prompt-cache.ts';
import { fail, reply } from '../sim/messages/reply.ts';
import type { Segment, Ttl } from '../sim/messages/segments.ts';
import { propertyRuns } from '../support/deep.ts';
import { HAIKU, OPUS, SONNET, ask, errorOf, openScene, textOfTokens, tool } from './messages-client.ts';

const MINUTE = 60_000;

const block = (tokens: number, ttl: Ttl | null = null, letter = 'x'): Anthropic.TextBlockParam => ({
  type: 'text',
  text: textOfTokens(tokens, letter),
  ...(ttl === null ? {} : { cache_control: { type: 'ephemeral', ttl } }),
});

const prompt = (...content: Anthropic.TextBlockParam[]) => ask({ messages: [{ role: 'user', content }] });

/** Uncached, read, written for five minutes, written for an hour. */
const counts = ({ usage }: Anthropic.Message): readonly (number | undefined | null)[] => [
  usage.input_tokens,
  usage.cache_read_input_tokens,
  usage.cache_creation?.ephemeral_5m_input_tokens,
  usage.cache_creation?.ephemeral_1h_input_tokens,
];

const scene = async (options: Parameters<typeof openScene>[0] = {}) => {
  const opened = await openScene(options);
  opened.sim.script(() => reply('ok'));
  const send = async (params: Anthropic.MessageCreateParamsNonStreaming) =>
    counts(await opened.client.messages.create(params));
  return { ...opened, send };
};

test('writes a prefix up to its breakpoint and reads it the next time', async () => {
  const { send } = await scene();
  const request = prompt(block(2000, '5m'), block(100));
  expect(await send(request)).toEqual([100, 0, 2003, 0]);
  expect(await send(request)).toEqual([100, 2003, 0, 0]);
});

test('caches nothing without a breakpoint', async () => {
  const { send, sim } = await scene();
  expect(await send(prompt(block(5000)))).toEqual([5003, 0, 0, 0]);
  expect(sim.cacheEntries()).toBe(0);
});

test('leaves a prefix below the minimum of the model uncached, in silence', async () => {
  const { send } = await scene();
  expect(await send(prompt(block(1020, '5m')))).toEqual([1023, 0, 0, 0]);
  expect(await send(prompt(block(1021, '5m')))).toEqual([0, 0, 1024, 0]);
  expect(await send({ ...prompt(block(1021, '5m')), model: HAIKU })).toEqual([1024, 0, 0, 0]);
  expect(await send({ ...prompt(block(509, '5m')), model: OPUS })).toEqual([0, 0, 512, 0]);
});

test('reads the longest prefix and writes only what is new behind it', async () => {
  const { send } = await scene();
  await send(prompt(block(2000, '5m')));
  expect(await send(prompt(block(2000, '5m'), block(500, '5m', 'y'), block(7)))).toEqual([7, 2003, 500, 0]);
});

test('reads nothing behind the first byte that differs', async () => {
  const { send } = await scene();
  await send(prompt(block(2000, '5m'), block(500, '5m')));
  expect(await send(prompt(block(2000, '5m'), block(500, '5m', 'y')))).toEqual([0, 2003, 500, 0]);
  expect(await send(prompt(block(2000, '5m', 'z'), block(500, '5m')))).toEqual([0, 0, 2503, 0]);
});

test('takes tools before system before messages', async () => {
  const { send } = await scene();
  const system = [block(2000, '5m')];
  const base = { ...prompt(block(10)), system, tools: [tool('Read')] };
  const [, , written] = await send(base);
  expect(written).toBeGreaterThan(2000);
  expect((await send({ ...base, messages: [{ role: 'user', content: 'other' }] }))[1]).toBe(written);
  expect((await send({ ...base, tools: [tool('Grep')] }))[1]).toBe(0);
  expect((await send({ ...base, system: [block(2000, '5m', 'y')] }))[1]).toBe(0);
});

test('keeps tools and system when only the thinking or the tool choice changes', async () => {
  const { send } = await scene();
  const base = { ...prompt(block(3000, '5m')), system: [block(2000, '5m')], tools: [tool('Read')] };
  const all = (await send(base))[2];
  const [, read, written] = await send({ ...base, tool_choice: { type: 'none' } });
  expect(written).toBe(3003);
  expect(Number(read) + Number(written)).toBe(all);
  expect((await send({ ...base, thinking: { type: 'between_tools' } }))[1]).toBe(read);
});

test('does not share entries between models', async () => {
  const { send } = await scene();
  await send(prompt(block(5000, '5m')));
  expect((await send({ ...prompt(block(5000, '5m')), model: OPUS }))[1]).toBe(0);
});

test('looks back twenty blocks from a breakpoint and no further', async () => {
  const { send } = await scene();
  const tail = (blocks: number) => Array.from({ length: blocks }, () => block(10));
  await send(prompt(block(2000, '5m')));
  expect((await send(prompt(block(2000), ...tail(18), block(10, '5m'))))[1]).toBe(2003);
  await send(prompt(block(2000, '5m', 'y')));
  expect((await send(prompt(block(2000, null, 'y'), ...tail(19), block(10, '5m'))))[1]).toBe(0);
});

test('finds an old prefix only where a breakpoint stood', async () => {
  const { send } = await scene();
  await send(prompt(block(2000), block(2000, '5m')));
  expect((await send(prompt(block(2000, '5m'), block(2000, null, 'y'))))[1]).toBe(0);
});

test('forgets an entry after five minutes, and after an hour where asked to', async () => {
  const { send, advance } = await scene();
  const [short, long] = [prompt(block(2000, '5m')), prompt(block(2000, '1h', 'y'))];
  await send(short);
  expect(await send(long)).toEqual([0, 0, 0, 2003]);
  advance(5 * MINUTE);
  expect(await send(short)).toEqual([0, 0, 2003, 0]);
  expect(await send(long)).toEqual([0, 2003, 0, 0]);
  advance(60 * MINUTE);
  expect(await send(long)).toEqual([0, 0, 0, 2003]);
});

test('renews the time to live with every read', async () => {
  const { send, advance } = await scene();
  const request = prompt(block(2000, '5m'));
  await send(request);
  for (let read = 0; read < 4; read++) {
    advance(4 * MINUTE);
    expect(await send(request)).toEqual([0, 2003, 0, 0]);
  }
});

test('renews what it reads by looking back, without a breakpoint there', async () => {
  const { send, advance } = await scene();
  await send(prompt(block(2000, '5m')));
  advance(4 * MINUTE);
  await send(prompt(block(2000), block(50, '5m', 'y')));
  advance(4 * MINUTE);
  expect(await send(prompt(block(2000, '5m')))).toEqual([0, 2003, 0, 0]);
});

test('keeps for an hour what was written for an hour, also when it is read for five minutes', async () => {
  const { send, advance } = await scene();
  await send(prompt(block(2000, '1h')));
  await send(prompt(block(2000, '5m')));
  advance(50 * MINUTE);
  expect(await send(prompt(block(2000, '5m')))).toEqual([0, 2003, 0, 0]);
});

test('tells apart what is kept for an hour and for five minutes in one request', async () => {
  const { send } = await scene();
  expect(await send(prompt(block(2000, '1h'), block(300, '5m'), block(5)))).toEqual([5, 0, 300, 2003]);
});

test('puts an automatic breakpoint on the last block and moves it along', async () => {
  const { send } = await scene();
  const first = { ...prompt(block(2000)), cache_control: { type: 'ephemeral' as const } };
  expect(await send(first)).toEqual([0, 0, 2003, 0]);
  expect(await send({ ...prompt(block(2000), block(50)), cache_control: { type: 'ephemeral' } })).toEqual([
    0, 2003, 50, 0,
  ]);
});

test('lets nobody read an entry before the response of its writer has begun', async () => {
  const { sim, client } = await openScene();
  sim.script([reply('slow', { transport: { delayMs: 60 } }), reply('early'), reply('late')]);
  const request = prompt(block(2000, '5m'));
  const slow = client.messages.create(request);
  await sim.until(() => sim.requests.length === 1);
  const early = await client.messages.create(request);
  expect(counts(early)[1]).toBe(0);
  await slow;
  expect(counts(await client.messages.create(request))).toEqual([0, 2003, 0, 0]);
});

test('writes nothing for a request that failed', async () => {
  const { sim, client } = await openScene();
  sim.script([fail(529), reply('ok')]);
  const request = prompt(block(2000, '5m'));
  await errorOf(client.messages.create(request));
  expect(counts(await client.messages.create(request))).toEqual([0, 0, 2003, 0]);
});

test('is warmed by max_tokens 0, without a script and without output', async () => {
  const { sim, client } = await openScene();
  const warm = await client.messages.create({ ...prompt(block(2000, '5m')), max_tokens: 0 });
  expect([warm.content, warm.usage.output_tokens, warm.usage.cache_creation_input_tokens]).toEqual([[], 0, 2003]);
  sim.script([reply('ok')]);
  expect(counts(await client.messages.create(prompt(block(2000, '5m'))))[1]).toBe(2003);
});

test('bills reads at a tenth, writes at five quarters and double', async () => {
  const { sim, send } = await scene();
  await send(prompt(block(100_000, '5m')));
  await send(prompt(block(100_000, '5m')));
  await send(prompt(block(100_000, '1h', 'y')));
  const output = 10 / 1e6;
  expect(sim.requests.map((entry) => Number(entry.costUsd.toFixed(9)))).toEqual([
    Number(((100_003 * 2 * 1.25) / 1e6 + output).toFixed(9)),
    Number(((100_003 * 2 * 0.1) / 1e6 + output).toFixed(9)),
    Number(((100_003 * 2 * 2) / 1e6 + output).toFixed(9)),
  ]);
  expect(sim.requests.map((entry) => entry.cachedShare)).toEqual([0, 1, 0]);
  expect(sim.spend()).toMatchObject({ calls: 3, inputTokens: 300_009, cacheReadTokens: 100_003, outputTokens: 3 });
  expect(sim.spend().cachedShare).toBeCloseTo(1 / 3, 4);
  expect(sim.spend().costUsd).toBeCloseTo(0.25 + 0.02 + 0.4, 3);
});

test('bills the small model by the tier of the whole prompt, its output too', () => {
  const haiku = MODELS.find(({ id }) => id === HAIKU);
  if (haiku === undefined) throw new Error('expected the model');
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, thinkingTokens: 0 };
  const cost = (more: Partial<typeof usage>) => costUsd(haiku, { ...usage, outputTokens: 1_000_000, ...more });
  expect(cost({ inputTokens: 100_000 })).toBeCloseTo(0.01 + 0.5, 10);
  expect(cost({ inputTokens: 100_001 })).toBeCloseTo(0.0500005 + 2.5, 10);
  expect(cost({ inputTokens: 1, cacheReadTokens: 100_000 })).toBeCloseTo(0.0000005 + 0.005 + 2.5, 10);
});

test('adds up what some of the requests cost', async () => {
  const { sim, client } = await openScene();
  sim.script(() => reply('ok'));
  await client.messages.create(ask());
  await client.messages.create(ask({ model: OPUS }));
  expect(sim.spend(({ request }) => request?.model === OPUS)).toMatchObject({ calls: 1, inputTokens: 5 });
  expect(sim.spend(({ request }) => request?.model === SONNET).costUsd).toBeCloseTo(20e-6, 12);
});

const segment = fc.record({
  level: fc.constant('messages' as const),
  text: fc.constantFrom('a', 'b', 'c'),
  tokens: fc.integer({ min: 1, max: 2000 }),
  breakpoint: fc.constantFrom<Ttl | null>(null, null, '5m'),
  cacheable: fc.constant(true),
});

/** The same text always costs the same. */
const priced = (segments: readonly Segment[]): Segment[] =>
  segments.map((one) => ({ ...one, tokens: one.text.charCodeAt(0) * 10 }));

test('splits every prompt without loss, and reads at most what was written before', () => {
  const prompts = fc.array(fc.array(segment, { minLength: 1, maxLength: 30 }).map(priced), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(prompts, (all) => {
      const cache = createPromptCache(() => 0);
      const written = new Set<number>([0]);
      for (const segments of all) {
        const { usage, commit } = cache.plan({ id: 'm', minCacheTokens: 1024 }, segments);
        const total = segments.reduce((sum, { tokens }) => sum + tokens, 0);
        const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
        expect(inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens).toBe(total);
        expect(Math.min(inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens)).toBeGreaterThanOrEqual(
          0,
        );
        expect(written).toContain(cacheReadTokens);
        commit();
        let sum = 0;
        for (const { tokens, breakpoint } of segments) {
          sum += tokens;
          if (breakpoint !== null) written.add(sum);
        }
        const again = cache.plan({ id: 'm', minCacheTokens: 1024 }, segments).usage;
        expect(again.cacheWrite5mTokens).toBe(0);
        expect(again.inputTokens).toBe(inputTokens);
      }
    }),
    propertyRuns(100, 5000),
  );
});
