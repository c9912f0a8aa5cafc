/** Builds the configuration of one review from an address, so that no file is needed. */
import { stringify } from 'smol-toml';
import type { Trigger } from '../../../shared/vocabulary/trigger.ts';
import { snakeKeys } from '../../../shared/config/text/key-case.ts';
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
};

/** The id is a short form of the host, because ids have at most 32 characters. Markers are read under any id. */
export const forgeIdOf = (baseUrl: string): string =>
  new URL(baseUrl).host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32) || 'forge';

/** Drafts, labels and quiet times are no reason to wait: a person has asked. */
export const settingsFor = ({ forge, tokenEnv, caFile, wish }: Made): string => {
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
    review: { triggers, quiet_seconds: 0, runner: wish.runner },
    gate: { ci_grace_s: 0 },
    health: { enabled: false },
    agent: agentOf(wish),
    budgets: { model: given({ run_usd: wish.budgetUsd, run_tokens: wish.budgetTokens }) },
  });
};

const agentOf = (wish: ReviewWish) =>
  snakeKeys({
    ...agentWish(wish),
    ...(wish.claudeCode === undefined ? {} : { claudeCode: { command: wish.claudeCode } }),
  });
