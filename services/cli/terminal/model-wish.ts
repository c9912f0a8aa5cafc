import { isLoopback } from '../../../shared/loopback.ts';
import { given } from './given.ts';
import { UsageError } from './usage-error.ts';

/** Options of the caller; all other settings have the server's defaults. */
export type ModelWish = {
  /** The API of the model's server: `anthropic` (Messages API, the default) or `openai` (chat completions). */
  readonly provider?: 'anthropic' | 'openai' | undefined;
  /**
   * The variable with the model key. Default: the provider's variable; none for chat completions of a server on this
   * machine.
   */
  readonly keyEnv?: string | undefined;
  readonly model?: string | undefined;
  readonly explorerModel?: string | undefined;
  readonly maxTurns?: number | undefined;
  /** Limit for the whole review with its explorers. Default: 5. */
  readonly budgetUsd?: number | undefined;
  /** Limit on input and output tokens together, including explorers. Default: 3,000,000. */
  readonly budgetTokens?: number | undefined;
  readonly baseUrl?: string | undefined;
  /** US dollars per million tokens, for models without a built-in price or to override it. */
  readonly prices?: readonly ModelWishPrice[] | undefined;
};

export type ModelWishPrice = { readonly model: string; readonly inputUsd: number; readonly outputUsd: number };

/** The name of the one provider that the options describe. */
const SERVER = 'server';

export const OPENAI_KEY = 'OPENAI_API_KEY';

/** An address that cannot be parsed is reported where the settings are loaded. */
const isLocal = (baseUrl: string): boolean => URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);

/**
 * The `[agent]` settings that the options describe. @throws UsageError if chat completions are asked for without their
 * address or model
 */
export const agentWish = (wish: ModelWish): Readonly<Record<string, unknown>> => {
  const { provider = 'anthropic', keyEnv, baseUrl, model, explorerModel, maxTurns, prices } = wish;
  if (provider === 'anthropic')
    return given({
      apiKeyEnv: keyEnv,
      baseUrl,
      reviewer: given({ model, maxTurns }),
      explorer: given({ model: explorerModel }),
      price: prices,
    });
  if (baseUrl === undefined || model === undefined)
    throw new UsageError('--provider openai needs --base-url URL (including the version, such as …/v1) and --model ID');
  const named = (name: string): string => `${SERVER}/${name}`;
  return given({
    provider: [{ name: SERVER, kind: 'openai', baseUrl, keyEnv: keyEnv ?? (isLocal(baseUrl) ? '' : OPENAI_KEY) }],
    reviewer: given({ model: named(model), maxTurns }),
    // The built-in explorer model belongs to another provider.
    explorer: { model: named(explorerModel ?? model) },
    price: prices?.map((price) => ({ ...price, model: named(price.model) })),
  });
};
