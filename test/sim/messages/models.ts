/**
 * What each model accepts and costs, as published until 2026-11-27 (platform documentation: models, prompt caching, what
 * is new in Sonnet 5.5 and Opus 5.5; `reference/packages.md` 5). The minimum cacheable prefix of the 5.5 models and of
 * Fable 5.2 is not published; their predecessors' values are used.
 */
export type ThinkingKind = 'adaptive' | 'enabled' | 'disabled' | 'between_tools';
export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** US dollars per million tokens, for prompts with at most `upToTokens` input tokens, including cached ones. */
export type PriceTier = { readonly upToTokens: number; readonly inputUsd: number; readonly outputUsd: number };

export type ModelFacts = {
  readonly id: string;
  readonly displayName: string;
  readonly releasedAt: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Shorter prefixes are not cached, without an error. */
  readonly minCacheTokens: number;
  readonly thinking: readonly ThinkingKind[];
  /** Efforts that allow thinking to be disabled. */
  readonly quietEfforts: readonly Effort[];
  /** Applies to a request without `thinking`. */
  readonly thinksByDefault: boolean;
  readonly thinkingDisplay: 'omitted' | 'summarized';
  /** Thinking blocks are valid only for the model and the conversation that produced them. */
  readonly bindsThinking: boolean;
  readonly acceptsSampling: boolean;
  readonly acceptsForcedTool: boolean;
  readonly acceptsPrefill: boolean;
  readonly hasEffort: boolean;
  /** Ordered by `upToTokens`. */
  readonly prices: readonly PriceTier[];
};

const flat = (inputUsd: number, outputUsd: number): readonly PriceTier[] => [
  { upToTokens: Number.POSITIVE_INFINITY, inputUsd, outputUsd },
];

const EVERY_EFFORT: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

const NEWEST = {
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  thinking: ['adaptive'],
  quietEfforts: ['low', 'medium', 'high'],
  thinksByDefault: true,
  thinkingDisplay: 'omitted',
  bindsThinking: true,
  acceptsSampling: false,
  acceptsForcedTool: false,
  acceptsPrefill: false,
  hasEffort: true,
} as const satisfies Partial<ModelFacts>;

const HAIKU_4_5 = {
  displayName: 'Claude Haiku 4.5',
  releasedAt: '2025-10-01T00:00:00Z',
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  minCacheTokens: 4096,
  thinking: ['enabled', 'disabled'],
  quietEfforts: EVERY_EFFORT,
  thinksByDefault: false,
  thinkingDisplay: 'summarized',
  bindsThinking: false,
  acceptsSampling: true,
  acceptsForcedTool: true,
  acceptsPrefill: true,
  hasEffort: false,
  prices: flat(1, 5),
} as const satisfies Partial<ModelFacts>;

export const MODELS: readonly ModelFacts[] = [
  {
    ...NEWEST,
    id: 'claude-haiku-5-5',
    displayName: 'Claude Haiku 5.5',
    releasedAt: '2026-10-07T00:00:00Z',
    minCacheTokens: 4096,
    thinking: ['adaptive', 'disabled'],
    prices: [
      { upToTokens: 100_000, inputUsd: 0.1, outputUsd: 0.5 },
      { upToTokens: Number.POSITIVE_INFINITY, inputUsd: 0.5, outputUsd: 2.5 },
    ],
  },
  {
    ...NEWEST,
    id: 'claude-sonnet-5-5',
    displayName: 'Claude Sonnet 5.5',
    releasedAt: '2026-10-01T00:00:00Z',
    minCacheTokens: 1024,
    thinking: ['adaptive', 'between_tools'],
    prices: flat(2, 10),
  },
  {
    ...NEWEST,
    id: 'claude-opus-5-5',
    displayName: 'Claude Opus 5.5',
    releasedAt: '2026-09-22T00:00:00Z',
    minCacheTokens: 512,
    prices: flat(4, 20),
  },
  {
    ...NEWEST,
    id: 'claude-fable-5-2',
    displayName: 'Claude Fable 5.2',
    releasedAt: '2026-10-20T00:00:00Z',
    minCacheTokens: 512,
    prices: flat(8, 40),
  },
  {
    ...NEWEST,
    id: 'claude-sonnet-5',
    displayName: 'Claude Sonnet 5',
    releasedAt: '2026-06-30T00:00:00Z',
    minCacheTokens: 1024,
    thinking: ['adaptive', 'disabled'],
    bindsThinking: false,
    acceptsForcedTool: true,
    prices: flat(2, 10),
  },
  { ...HAIKU_4_5, id: 'claude-haiku-4-5' },
  { ...HAIKU_4_5, id: 'claude-haiku-4-5-20251001' },
];
