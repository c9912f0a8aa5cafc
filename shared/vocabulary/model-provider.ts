/** The providers of models, and what differs between them as plain facts. What differs in code is in `shared/agent/models/`. */
import { z } from 'zod';

export const ModelProvider = z.enum(['anthropic']);
export type ModelProvider = z.output<typeof ModelProvider>;

export type ProviderFacts = {
  /** The environment variables of the key and of the address, unless the operator names others. */
  readonly keyEnv: string;
  readonly baseUrlEnv: string;
  readonly baseUrl: string;
  /** Factors on the price of an input token. */
  readonly cache: { readonly read: number; readonly write: number; readonly writeLong: number };
};

export const PROVIDER_FACTS: Readonly<Record<ModelProvider, ProviderFacts>> = {
  anthropic: {
    keyEnv: 'ANTHROPIC_API_KEY',
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
    baseUrl: 'https://api.anthropic.com',
    // https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
    cache: { read: 0.1, write: 1.25, writeLong: 2 },
  },
};

/** There is one so far. */
export const DEFAULT_PROVIDER: ModelProvider = 'anthropic';
