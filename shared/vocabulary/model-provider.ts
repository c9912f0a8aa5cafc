/** The model providers and their differences as data. Differences in behaviour are in `shared/agent/models/`. */
import { z } from 'zod';

export const ModelProvider = z.enum(['anthropic', 'openai']);
export type ModelProvider = z.output<typeof ModelProvider>;

export type ProviderFacts = {
  /** Default names of the environment variables for the key and the address. */
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
  /** Every server with OpenAI-compatible chat completions. What cached tokens cost differs, so the full price is counted. */
  openai: {
    keyEnv: 'OPENAI_API_KEY',
    baseUrlEnv: 'OPENAI_BASE_URL',
    baseUrl: 'https://api.openai.com/v1',
    cache: { read: 1, write: 1.25, writeLong: 2 },
  },
};

export const DEFAULT_PROVIDER: ModelProvider = 'anthropic';
