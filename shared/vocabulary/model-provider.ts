/** The model providers and their differences as data. Differences in behaviour are in `shared/agent/models/`. */
import { z } from 'zod';

export const ModelProvider = z.enum(['anthropic']);
export type ModelProvider = z.output<typeof ModelProvider>;

export type ProviderFacts = {
  /** Default names of the environment variables for the key and the address. */
  readonly keyEnv: string;
  readonly baseUrlEnv: string;
  readonly baseUrl: string;
  /** Factors on the price of an input token. */
  readonly cache: { readonly read: number; readonly write: number; readonly writeLong: number };
  /** Whether the provider can cache a prefix for an hour. */
  readonly hasLongCache: boolean;
};

export const PROVIDER_FACTS: Readonly<Record<ModelProvider, ProviderFacts>> = {
  anthropic: {
    keyEnv: 'ANTHROPIC_API_KEY',
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
    baseUrl: 'https://api.anthropic.com',
    // https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
    cache: { read: 0.1, write: 1.25, writeLong: 2 },
    hasLongCache: true,
  },
};

export const DEFAULT_PROVIDER: ModelProvider = 'anthropic';
