import { type ModelPrice, PRICES, priceOf } from '../agent/model/prices.ts';
import type { Agent } from '../config/agent-settings.ts';
import { findModel } from '../config/model-roles.ts';
import type { ProviderSettings } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../vocabulary/model-provider.ts';

/** Without a price, the money budget of the model cannot be enforced. */
export class ModelWithoutPriceError extends AppError {
  constructor(model: string) {
    super({
      code: 'MODEL_WITHOUT_PRICE',
      message: `the model ${model} has no price; add one with [[agent.price]], or to its [[agent.provider]]; a price of 0 is allowed`,
      disposition: { kind: 'fail' },
      fields: { model },
    });
  }
}

type Stated = Pick<ProviderSettings, 'inputUsd' | 'outputUsd' | 'cachedInputUsd'>;

/** The price of cached tokens divided by the price of input tokens. */
const cacheRead = ({ inputUsd, cachedInputUsd }: Stated, otherwise: number): number => {
  if (cachedInputUsd === null || inputUsd === null) return otherwise;
  return inputUsd === 0 ? 0 : cachedInputUsd / inputUsd;
};

const ofProvider = (provider: ProviderSettings, model: string): ModelPrice | null => {
  const { inputUsd, outputUsd, kind } = provider;
  if (inputUsd === null || outputUsd === null) return kind === DEFAULT_PROVIDER ? priceOf(PRICES, model) : null;
  const { cache } = PROVIDER_FACTS[kind];
  const read = cacheRead(provider, cache.read);
  return { inputPerMTok: inputUsd, outputPerMTok: outputUsd, above: null, cache: { ...cache, read } };
};

/**
 * The price in `[[agent.price]]`, otherwise that of the model's `[[agent.provider]]`, otherwise the built-in one.
 * @throws ModelWithoutPriceError
 */
export const modelPrice = (agent: Agent, reference: string): ModelPrice => {
  const { provider, model } = findModel(agent, reference);
  const own = agent.price.find((one) => one.model === reference);
  if (own !== undefined) {
    const { cache } = PROVIDER_FACTS[provider?.kind ?? DEFAULT_PROVIDER];
    return { inputPerMTok: own.inputUsd, outputPerMTok: own.outputUsd, above: null, cache };
  }
  const known = provider === null ? priceOf(PRICES, model) : ofProvider(provider, model);
  if (known === null) throw new ModelWithoutPriceError(reference);
  return known;
};
