import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputBound, longBound, whichLimitBreaks } from '../../../../shared/agent/model/budget.ts';
import { BudgetScope } from '../../../../shared/vocabulary/exceeded.ts';
import type { Message, ModelRequest, TextBlock } from '../../../../shared/agent/model/model.ts';
import {
  costMicroUsd,
  PRICES,
  priceOf,
  worstCostMicroUsd,
  type ModelPrice,
} from '../../../../shared/agent/model/prices.ts';
import { createMemoryLedger } from '../../../../shared/agent/model/memory-ledger.ts';
import { createMeteredModel } from '../../../../shared/agent/model/metered-model.ts';
import { BUDGET_LIMITS } from '../../../support/budget-limits.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { ACCOUNT } from '../agent-run.ts';
import { reply, usage } from '../scripted-model.ts';

const price = (model: string): ModelPrice => {
  const found = priceOf(PRICES, model);
  if (found === null) throw new Error(`no price for ${model}`);
  return found;
};

describe('prices', () => {
  it.each([
    ['claude-sonnet-5-5', usage({ uncachedInput: 1_000_000, output: 0 }), 2_000_000],
    ['claude-sonnet-5-5', usage({ uncachedInput: 0, output: 1_000_000 }), 10_000_000],
    ['claude-sonnet-5-5', usage({ uncachedInput: 0, cacheRead: 1_000_000, output: 0 }), 200_000],
    ['claude-sonnet-5-5', usage({ uncachedInput: 0, cacheWrite: 1_000_000, output: 0 }), 2_500_000],
    [
      'claude-sonnet-5-5',
      usage({ uncachedInput: 0, cacheWrite: 1_000_000, cacheWriteLong: 1_000_000, output: 0 }),
      4_000_000,
    ],
    ['claude-haiku-5-5', usage({ uncachedInput: 100_000, output: 1_000 }), 10_500],
    ['claude-haiku-5-5', usage({ uncachedInput: 100_001, output: 1_000 }), 52_501],
    ['claude-haiku-5-5', usage({ uncachedInput: 1, cacheRead: 100_000, output: 0 }), 5_001],
    ['claude-opus-5-5', usage({ uncachedInput: 1, output: 1 }), 24],
  ])('of %s for %o are %i micro-dollars', (model, used, expected) => {
    expect(costMicroUsd(price(model), used)).toBe(expected);
  });

  it('are unknown for models that nobody listed, whatever their name', () => {
    for (const model of ['gpt', '__proto__', 'constructor', '']) expect(priceOf(PRICES, model)).toBeNull();
  });

  it('of no call exceed its worst case', () => {
    const part = fc.integer({ min: 0, max: 200_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(PRICES.models)),
        part,
        part,
        part,
        part,
        part,
        (model, uncachedInput, cacheRead, short, cacheWriteLong, output) => {
          const cacheWrite = short + cacheWriteLong;
          const used = usage({ uncachedInput, cacheRead, cacheWrite, cacheWriteLong, output });
          const worst = worstCostMicroUsd(price(model), {
            inputTokens: uncachedInput + cacheRead + cacheWrite,
            outputTokens: output,
            longTokens: cacheWriteLong,
          });
          expect(costMicroUsd(price(model), used)).toBeLessThanOrEqual(worst);
        },
      ),
      propertyRuns(300, 20_000),
    );
  });
});

it('the part of a request that is cached for an hour ends with its last such block', () => {
  const text = (words: string, cache?: 'long') => ({ kind: 'text' as const, text: words, ...(cache ? { cache } : {}) });
  const of = (system: readonly TextBlock[], opening: readonly TextBlock[]): number =>
    longBound({
      model: 'm',
      maxOutputTokens: 1,
      tools: [{ name: 'Read', description: 'd'.repeat(1_000), inputSchema: {} }],
      system,
      messages: [{ role: 'user', blocks: opening }],
    });
  expect(of([text('s'.repeat(500))], [text('o'.repeat(9_000))])).toBe(0);
  expect(of([text('s'.repeat(500), 'long')], [text('o'.repeat(9_000))])).toBeGreaterThan(1_500);
  expect(of([text('s'.repeat(500), 'long')], [text('o'.repeat(9_000))])).toBeLessThan(4_000);
  expect(of([text('s'.repeat(500), 'long')], [text('o'.repeat(9_000), 'long'), text('x')])).toBeGreaterThan(10_500);
});

describe('limits', () => {
  const limit = { tokens: 100, microUsd: 100 };
  const limits = { run: limit, change_request: limit, project: limit, day: limit };
  const none = { tokens: 0, microUsd: 0 };
  const used = { run: none, change_request: none, project: none, day: none };

  it.each([
    [{ tokens: 100, microUsd: 100 }, null],
    [
      { tokens: 101, microUsd: 0 },
      { scope: 'run', budget: 'tokens', limit: 100, used: 0 },
    ],
    [
      { tokens: 0, microUsd: 101 },
      { scope: 'run', budget: 'money', limit: 100, used: 0 },
    ],
  ])('hold inclusively: %o', (add, expected) => {
    expect(whichLimitBreaks(used, add, limits)).toEqual(expected);
  });

  it.each(BudgetScope.options)('of the %s are looked at', (scope) => {
    const full = { ...used, [scope]: { tokens: 60, microUsd: 0 } };
    expect(whichLimitBreaks(full, { tokens: 41, microUsd: 1 }, limits)).toMatchObject({
      scope,
      budget: 'tokens',
      used: 60,
    });
  });
});

const request = (texts: readonly string[]): ModelRequest => ({
  model: 'm',
  maxOutputTokens: 10,
  system: [{ kind: 'text', text: texts[0] ?? '' }],
  tools: [],
  messages: texts.map((text): Message => ({ role: 'user', blocks: [{ kind: 'text', text }] })),
});

describe('the bound of the input', () => {
  it('is never below one token per byte, the most that any tokenizer makes of a text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 500 }), { minLength: 1, maxLength: 5 }), (texts) => {
        const counted = texts.reduce((sum, text) => sum + Buffer.byteLength(text), Buffer.byteLength(texts[0] ?? ''));
        expect(inputBound(request(texts), null)).toBeGreaterThanOrEqual(counted);
      }),
      propertyRuns(200, 10_000),
    );
  });

  it('takes the counted part at its own word and bounds only what came after', () => {
    const long = request(['x'.repeat(100_000), 'new']);
    expect(inputBound(long, { messages: 1, tokens: 25_000 })).toBeLessThan(25_200);
    expect(inputBound(long, null)).toBeGreaterThan(100_000);
    const grown = request(['x'.repeat(100_000), 'y'.repeat(10_000)]);
    expect(inputBound(grown, { messages: 1, tokens: 25_000 })).toBeGreaterThan(35_000);
  });

  it('does not trust a count of more messages than there are', () => {
    const short = request(['x'.repeat(10_000)]);
    expect(inputBound(short, { messages: 5, tokens: 1 })).toBe(inputBound(short, null));
  });
});

it('a reservation covers what is written to the cache for an hour', async () => {
  const part = (text: string, cache?: 'long') => ({ kind: 'text' as const, text, ...(cache ? { cache } : {}) });
  const reserved = async (cache?: 'long'): Promise<number> => {
    let microUsd = 0;
    const ledger = createMemoryLedger(BUDGET_LIMITS);
    const reserve: typeof ledger.reserve = async (asked) => {
      microUsd = asked.worst.microUsd;
      return ledger.reserve(asked);
    };
    const model = createMeteredModel(
      { respond: async () => reply([]) },
      {
        ledger: { ...ledger, reserve },
        account: ACCOUNT,
        role: 'reviewer',
        price: price('claude-sonnet-5-5'),
        newCallId: () => 'call',
      },
    );
    await model.respond(
      {
        model: 'm',
        maxOutputTokens: 1,
        tools: [],
        system: [part('s'.repeat(10_000), cache)],
        messages: [{ role: 'user', blocks: [part('x')] }],
      },
      new AbortController().signal,
    );
    return microUsd;
  };
  // 10,000 bytes are at most 10,000 tokens, at twice instead of 1.25 times the price of $2 per million.
  expect((await reserved('long')) - (await reserved())).toBeGreaterThanOrEqual(10_000 * 2 * 0.75);
});
