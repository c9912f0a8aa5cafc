import { z } from 'zod';
import { PROVIDER_FACTS } from '../../vocabulary/model-provider.ts';
import { inputTokens, type ModelUsage } from './model.ts';

const Usd = z.number().nonnegative();

const Tier = z.object({ inputPerMTok: Usd, outputPerMTok: Usd });

export const ModelPrice = Tier.extend({
  /** Prices for calls whose total input exceeds `inputTokens`, applied to the whole call. Null when there is no such tier. */
  above: Tier.extend({ inputTokens: z.number().int().positive() }).nullable(),
  /** Factors by which the input price is multiplied for cache reads and writes. */
  cache: z.object({ read: z.number(), write: z.number(), writeLong: z.number() }).readonly(),
});
export type ModelPrice = z.output<typeof ModelPrice>;

export const PriceTable = z.object({ date: z.iso.date(), models: z.record(z.string(), ModelPrice) });
export type PriceTable = z.output<typeof PriceTable>;

const { cache } = PROVIDER_FACTS.anthropic;

/** Source: the provider's price page at the date of the table. */
export const PRICES: PriceTable = {
  date: '2026-11-27',
  models: {
    'claude-fable-5-2': { inputPerMTok: 8, outputPerMTok: 40, above: null, cache },
    'claude-opus-5-5': { inputPerMTok: 4, outputPerMTok: 20, above: null, cache },
    'claude-sonnet-5-5': { inputPerMTok: 2, outputPerMTok: 10, above: null, cache },
    'claude-haiku-5-5': {
      inputPerMTok: 0.1,
      outputPerMTok: 0.5,
      above: { inputTokens: 100_000, inputPerMTok: 0.5, outputPerMTok: 2.5 },
      cache,
    },
  },
};

/** Returns null for a model without a price. Its cost cannot be limited, so the model must not be called. */
export const priceOf = (table: PriceTable, model: string): ModelPrice | null =>
  Object.hasOwn(table.models, model) ? (table.models[model] ?? null) : null;

/** The cost in whole micro-dollars, rounded up: integers add up exactly, and never to less than was spent. */
export const costMicroUsd = (price: ModelPrice, usage: ModelUsage): number => {
  const isAbove = price.above !== null && inputTokens(usage) > price.above.inputTokens;
  const { inputPerMTok, outputPerMTok } = isAbove && price.above !== null ? price.above : price;
  const { read, write, writeLong } = price.cache;
  const short = Math.max(0, usage.cacheWrite - usage.cacheWriteLong);
  const input = usage.uncachedInput + usage.cacheRead * read + short * write + usage.cacheWriteLong * writeLong;
  // Dollars per million tokens are micro-dollars per token.
  return Math.ceil(input * inputPerMTok + usage.output * outputPerMTok);
};

/** The worst case: the whole input is written to the cache, `longTokens` of it for an hour, and all output is used. */
export const worstCostMicroUsd = (
  price: ModelPrice,
  call: { readonly inputTokens: number; readonly outputTokens: number; readonly longTokens?: number },
): number =>
  costMicroUsd(price, {
    uncachedInput: 0,
    cacheWrite: call.inputTokens,
    cacheRead: 0,
    output: call.outputTokens,
    cacheWriteLong: Math.min(call.inputTokens, call.longTokens ?? 0),
  });
