/** `[agent]`: the models of the reviewer and of explorers, with their limits and prices. */
import { z } from 'zod';
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../vocabulary/model-provider.ts';
import { Providers } from './provider-settings.ts';
import { AbsolutePath, EnvName, FilePath, MessagesUrl, Proxy } from './values.ts';

const ModelId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$/, 'expected a model id');

const Usd = z.number().min(0).max(100_000);

/** Context window of the model. Null: the known size of the model, otherwise 128,000. */
const ContextTokens = z.int().min(8_000).max(10_000_000).nullable().default(null);

/** The first model, then those that take over when it fails. `name/model` is a model of the `[[agent.provider]]` of that name. */
const Models = z
  .array(ModelId)
  .max(5)
  .refine((models) => new Set(models).size === models.length, { message: 'a model is named twice' })
  .default([]);

/**
 * How much a model should think. Sent only to models that accept it: see `effort.ts`. If null, the provider decides.
 */
const RoleEffort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullable().default(null);

const Reviewer = z.strictObject({
  model: ModelId.default('claude-sonnet-5-5'),
  /** If not empty, it replaces `model`. */
  models: Models,
  maxTurns: z.int().min(1).max(64).default(8),
  /** Active time of one run; waiting for explorers does not count. */
  maxRuntimeS: z.int().min(10).max(7200).default(600),
  contextTokens: ContextTokens,
  effort: RoleEffort,
});

const Explorer = z.strictObject({
  model: ModelId.default('claude-haiku-5-5'),
  models: Models,
  maxTurns: z.int().min(1).max(100).default(32),
  maxRuntimeS: z.int().min(10).max(1800).default(300),
  contextTokens: ContextTokens,
  effort: RoleEffort,
});

/** Checks the claims of the reviewer. An empty list means the models of the reviewer. */
const VerifierModels = z.strictObject({ models: Models, effort: RoleEffort });

/** Maximum number of model calls of one finder (`review.finders`). */
export const FINDER_TURNS = 8;

/**
 * Maximum number of parts in one run. Further parts are never reviewed, so the conversations of a run can be listed by
 * number.
 */
export const MOST_PARTS = 64;

/** Maximum number of model calls of a verifier for one claim. */
export const VERIFIER_TURNS = 6;

/** For `author.agent` = "agent". An empty list means the models of the reviewer. */
const AuthorModels = z.strictObject({ models: Models, effort: RoleEffort });

/** For `review.runner` or `author.agent` = "claude-code": the CLI calls the model for the reviewer or the author. */
const ClaudeCode = z.strictObject({
  /** Absolute path of the installed program. `PATH` is not searched. */
  command: AbsolutePath.nullable().default(null),
  /** The CLI uses a subscription, with the token in `CLAUDE_CODE_OAUTH_TOKEN` instead of the model key. */
  subscription: z.boolean().default(false),
});

/** Prices per million tokens. They override the built-in prices of the model. */
const Price = z.strictObject({ model: ModelId, inputUsd: Usd, outputUsd: Usd });

export const Agent = z.strictObject({
  apiKeyEnv: EnvName.default(PROVIDER_FACTS[DEFAULT_PROVIDER].keyEnv),
  /** Null means `ANTHROPIC_BASE_URL` if it is set, otherwise the provider's own address. */
  baseUrl: MessagesUrl.nullable().default(null),
  /** Certificates of a private authority for the default provider; others have a setting of their own. */
  caFile: FilePath.nullable().default(null),
  proxy: Proxy,
  stream: z.boolean().default(true),
  maxOutputTokens: z.int().min(1024).max(128_000).default(16_384),
  /** When the input reaches this many tokens, the middle of the conversation is replaced by notes. Null: follows the model's window. */
  compactAtTokens: z.int().min(10_000).max(2_000_000).nullable().default(null),
  /** Instructions and guidelines stay in the provider's cache for an hour, if it has such a cache. */
  longCache: z.boolean().default(true),
  /** Maximum number of explorers per run; 0 disables explorers. */
  maxExplorers: z.int().min(0).max(16).default(4),
  /**
   * Maximum number of parts of a change that does not fit into one prompt. With 1, only the part that fits into one
   * prompt is reviewed.
   */
  maxParts: z.int().min(1).max(MOST_PARTS).default(12),
  /** Extra turns in which a model may correct invalid output. */
  maxCorrections: z.int().min(0).max(5).default(2),
  idleTimeoutS: z.int().min(1).max(600).default(60),
  callTimeoutS: z.int().min(5).max(3600).default(300),
  /** How long one job may wait in total for an unavailable model, forge or disk. 0 means that it does not wait. */
  outagePatienceS: z.int().min(0).max(86_400).default(1800),
  reviewer: Reviewer.prefault({}),
  explorer: Explorer.prefault({}),
  verifier: VerifierModels.prefault({}),
  /** Maximum number of claims that one run verifies; 0 verifies none. See `review.verify`. */
  verifyMax: z.int().min(0).max(50).default(12),
  author: AuthorModels.prefault({}),
  claudeCode: ClaudeCode.prefault({}),
  provider: Providers,
  price: z
    .array(Price)
    .max(50)
    .refine((prices) => new Set(prices.map(({ model }) => model)).size === prices.length, {
      message: 'a model has two prices; only one is allowed',
    })
    .default([]),
});
export type Agent = z.output<typeof Agent>;

const Tokens = z.int().min(1000).max(1_000_000_000_000);
const Money = z.number().min(0.01).max(1_000_000);

/** Limits for model calls; tokens are input plus output. `project` and `day` count per calendar day (UTC). */
export const ModelBudgets = z.strictObject({
  runTokens: Tokens.default(3_000_000),
  runUsd: Money.default(5),
  changeRequestTokens: Tokens.default(15_000_000),
  changeRequestUsd: Money.default(25),
  projectTokens: Tokens.default(60_000_000),
  projectUsd: Money.default(100),
  dayTokens: Tokens.default(300_000_000),
  dayUsd: Money.default(500),
});
export type ModelBudgets = z.output<typeof ModelBudgets>;

export const TranscriptLimits = z.strictObject({
  keepDays: z.int().min(1).max(365).default(7),
  maxBytes: z.int().min(1_048_576).max(1_073_741_824).default(52_428_800),
});
