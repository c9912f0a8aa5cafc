/** The model providers and their differences as data. Differences in behaviour are in `shared/agent/models/`. */
import { z } from 'zod';

export const ModelProvider = z.enum(['anthropic', 'openai']);
export type ModelProvider = z.output<typeof ModelProvider>;

type ProviderFacts = {
  /** Default names of the environment variables for the key and the address. Other providers are named in `[[agent.provider]]`. */
  readonly keyEnv?: string;
  readonly baseUrlEnv?: string;
  readonly baseUrl?: string;
  /** Prices of cached tokens as factors of the price of an input token. */
  readonly cache: { readonly read: number; readonly write: number; readonly writeLong: number };
  /** Whether the provider can cache a prefix for an hour. */
  readonly hasLongCache: boolean;
};

export const PROVIDER_FACTS = {
  anthropic: {
    keyEnv: 'ANTHROPIC_API_KEY',
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
    baseUrl: 'https://api.anthropic.com',
    // https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
    cache: { read: 0.1, write: 1.25, writeLong: 2 },
    hasLongCache: true,
  },
  /**
   * Every server with OpenAI-compatible chat completions. The price of cached tokens differs between servers, so the
   * full price is assumed.
   */
  openai: {
    cache: { read: 1, write: 1.25, writeLong: 2 },
    hasLongCache: false,
  },
} as const satisfies Readonly<Record<ModelProvider, ProviderFacts>>;

export const DEFAULT_PROVIDER = 'anthropic' satisfies ModelProvider;
