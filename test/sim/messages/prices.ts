import type { ModelFacts, PriceTier } from './models.ts';

/** Factors for the input price, from the platform's page on prompt caching. */
export const CACHE_WRITE_5M = 1.25;
export const CACHE_WRITE_1H = 2;
export const CACHE_READ = 0.1;

/** Tokens of one answered request; the four kinds of input do not overlap. */
export type Usage = {
  /** Input tokens neither read from the cache nor written to it. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  /** Including thinking. */
  readonly outputTokens: number;
  readonly thinkingTokens: number;
};

export const totalInput = (usage: Usage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;

/** Share of the input that came from the cache, 0 to 1. */
export const cachedShare = (usage: Usage): number => {
  const total = totalInput(usage);
  return total === 0 ? 0 : usage.cacheReadTokens / total;
};

const tierOf = ({ prices }: Pick<ModelFacts, 'prices'>, promptTokens: number): PriceTier => {
  const tier = prices.find(({ upToTokens }) => promptTokens <= upToTokens);
  if (tier === undefined) throw new Error(`no price for a prompt of ${promptTokens} tokens`);
  return tier;
};

/** US dollars. The whole prompt, including cached parts, determines the price tier of input and output. */
export const costUsd = (model: Pick<ModelFacts, 'prices'>, usage: Usage): number => {
  const { inputUsd, outputUsd } = tierOf(model, totalInput(usage));
  const input =
    usage.inputTokens +
    usage.cacheReadTokens * CACHE_READ +
    usage.cacheWrite5mTokens * CACHE_WRITE_5M +
    usage.cacheWrite1hTokens * CACHE_WRITE_1H;
  return (input * inputUsd + usage.outputTokens * outputUsd) / 1_000_000;
};
