/** Builds the configuration of one review from an address, so that no file is needed. */
import { stringify } from 'smol-toml';
import type { Trigger } from '../../../shared/vocabulary/trigger.ts';
import { type Environment, SUBSCRIPTION_TOKEN } from '../../../shared/config/secrets.ts';
import { snakeKeys } from '../../../shared/config/text/key-case.ts';
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../../../shared/vocabulary/model-provider.ts';
import { given } from '../terminal/given.ts';
import { agentWish, type ModelWish } from '../terminal/model-wish.ts';
import type { FoundForge } from './find-forge.ts';

/** Options for model and limits. Options that are absent have the server's defaults. */
export type ReviewWish = ModelWish & {
  readonly runner: 'auto' | 'agent' | 'claude-code' | 'rules';
  readonly claudeCode?: string | undefined;
};

type Made = {
  readonly forge: FoundForge;
  readonly tokenEnv: string;
  /** Absolute. */
  readonly caFile?: string | undefined;
  readonly wish: ReviewWish;
  /** Says only which variables are set: no value gets into the configuration. */
  readonly env: Environment;
};

/**
 * The id is a short form of the host, because ids have at most 32 characters. Markers are recognised whatever the id
 * is.
 */
export const forgeIdOf = (baseUrl: string): string =>
  new URL(baseUrl).host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32) || 'forge';

/** Drafts, labels and quiet times do not delay the review, because a person asked for it. */
export const settingsFor = ({ forge, tokenEnv, caFile, wish, env }: Made): string => {
  const triggers: readonly Trigger[] = ['review_requested'];
  return stringify({
    forge: [
      {
        id: forgeIdOf(forge.baseUrl),
        kind: forge.kind,
        base_url: forge.baseUrl,
        token_env: tokenEnv,
        ...(caFile === undefined ? {} : { ca_file: caFile }),
        projects: [forge.project],
        // The schema requires a secret, but nothing reads it because no ingress runs.
        webhook_secret_envs: ['FIXPOINT_NO_WEBHOOK'],
      },
    ],
    review: { triggers, quiet_seconds: 0, runner: runnerOf(wish) },
    gate: { ci_grace_s: 0 },
    health: { enabled: false },
    agent: agentOf(wish, env),
    budgets: { model: given({ run_usd: wish.budgetUsd, run_tokens: wish.budgetTokens }) },
  });
};

/**
 * Uses `agent` instead of `auto` if the caller names a key, because `auto` would fall back to the rules if the key is
 * missing.
 */
const runnerOf = ({ runner, keyEnv }: ReviewWish): ReviewWish['runner'] =>
  runner === 'auto' && keyEnv !== undefined ? 'agent' : runner;

const agentOf = (wish: ReviewWish, env: Environment) => {
  const subscription = usesSubscription(wish, env) ? true : undefined;
  return snakeKeys({ ...agentWish(wish), claudeCode: given({ command: wish.claudeCode, subscription }) });
};

const MODEL_KEY = PROVIDER_FACTS[DEFAULT_PROVIDER].keyEnv;

/** As in a local review, the CLI uses the token of a subscription if there is no key. */
const usesSubscription = ({ runner, keyEnv = MODEL_KEY }: ReviewWish, env: Environment): boolean =>
  runner === 'claude-code' && (env[keyEnv] ?? '') === '' && (env[SUBSCRIPTION_TOKEN] ?? '') !== '';
