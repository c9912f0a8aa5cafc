import { expect, test } from 'vitest';
import type { CallPurpose, CallUse } from '../../../shared/agent/model/budget.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import { PRICES, priceOf } from '../../../shared/agent/model/prices.ts';
import type { ModelTotal } from '../../../shared/claude-code/events.ts';
import { beginSpending, endSpending, hearSpending, openBooks } from '../../../shared/claude-code/spending.ts';
import { ACCOUNT } from '../agent/agent-run.ts';
import { BUDGET_LIMITS } from '../../support/budget-limits.ts';

const MODEL = 'claude-sonnet-5-5';
const USAGE = { inputTokens: 1_000, cacheCreationInputTokens: 0, cacheReadInputTokens: 500, outputTokens: 100 };
const CALL = { input_tokens: 1_000, cache_read_input_tokens: 500, output_tokens: 100 };
const RESULT = { subtype: 'success', isError: false, apiStatus: null, refused: false, answer: null };
const total = (patch: Partial<ModelTotal> = {}): ModelTotal => ({ ...USAGE, costUSD: 0.5, ...patch });

/** One conversation of one call, and what its ledger was told. */
const talk = async (totals: Readonly<Record<string, ModelTotal>>, subscription = false) => {
  const price = priceOf(PRICES, MODEL);
  if (price === null) throw new Error('no price');
  const purposes: CallPurpose[] = [];
  const uses: CallUse[] = [];
  const inner = createMemoryLedger(BUDGET_LIMITS);
  const ledger: typeof inner = {
    ...inner,
    reserve: async (request) => {
      purposes.push(request.purpose);
      return inner.reserve(request);
    },
    settle: async (callId, account, used) => {
      uses.push(used);
      await inner.settle(callId, account, used);
    },
  };
  let calls = 0;
  const meter = { ledger, account: ACCOUNT, role: 'author' as const, price, newCallId: () => `call-${(calls += 1)}` };
  const books = openBooks({ meter, model: MODEL, maxOutputTokens: 1_000, subscription });
  await beginSpending(books, 100);
  await hearSpending(books, { kind: 'call_began', usage: CALL });
  await hearSpending(books, { kind: 'call_ended' });
  await endSpending(books, { ...RESULT, totals: new Map(Object.entries(totals)) });
  return { purposes, uses };
};

test('records the calls of the conversation under its model, and the rest under the models that the CLI names', async () => {
  const { purposes, uses } = await talk({ [MODEL]: total({ inputTokens: 1_200 }), 'claude-haiku-5-5': total() });
  expect(purposes).toEqual([
    { role: 'author', model: MODEL },
    { role: 'author', model: MODEL },
  ]);
  const own = { tokens: 1_600, microUsd: 3_100, outputTokens: 100, cachedTokens: 500 };
  const small = { tokens: 1_600, microUsd: 500_000, outputTokens: 100, cachedTokens: 500 };
  expect(uses).toEqual([
    own,
    {
      tokens: 1_800,
      microUsd: 500_400,
      outputTokens: 100,
      cachedTokens: 500,
      otherModels: [{ ...small, model: 'claude-haiku-5-5' }],
    },
  ]);
});

test('does not split totals that name the model of the conversation differently', async () => {
  const { uses } = await talk({ 'claude-sonnet-5-5-dated': total({ inputTokens: 1_300 }) });
  expect(uses.map(({ tokens, otherModels }) => [tokens, otherModels])).toEqual([
    [1_600, undefined],
    [300, undefined],
  ]);
});

test('marks the models of a subscription, whose money is not counted', async () => {
  const { purposes, uses } = await talk({ [MODEL]: total(), 'claude-haiku-5-5': total() }, true);
  expect(purposes[0]).toEqual({ role: 'author', model: `subscription/${MODEL}` });
  expect(uses.map(({ microUsd, otherModels }) => [microUsd, otherModels?.map(({ model }) => model)])).toEqual([
    [0, undefined],
    [0, ['subscription/claude-haiku-5-5']],
  ]);
});
