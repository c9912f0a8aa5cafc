import { randomBytes } from 'node:crypto';
import type { Environment } from '../../shared/config/secrets.ts';

export type SettingsWish = {
  readonly forgeUrl: string;
  readonly token: string;
  readonly projects: readonly string[];
  readonly dataDir: string;
  readonly kind?: 'forgejo' | 'gitea' | 'gitlab';
  readonly redisUrl?: string;
  readonly redisPrefix?: string;
  readonly quietSeconds?: number;
  readonly ingressPort?: number;
  /** Default: chosen by the keys in the environment. */
  readonly runner?: 'rules' | 'agent' | 'claude-code' | 'messages';
  /** Additional TOML, whole tables only. */
  readonly more?: string;
};

export type Settings = {
  readonly toml: string;
  readonly env: Environment;
  readonly webhookSecret: string;
  readonly markerSecret: string;
};

/** Sets `ci_grace_s` to 0: few of the simulated projects have CI to wait for. */
const withoutGrace = (more: string): string => {
  if (more.includes('ci_grace_s')) return more;
  return more.includes('[gate]\n')
    ? more.replace('[gate]\n', '[gate]\nci_grace_s = 0\n')
    : `[gate]\nci_grace_s = 0\n${more}`;
};

/** A complete `fixpoint.toml` for one simulated forge, with random secrets. */
export const makeSettings = (wish: SettingsWish): Settings => {
  const markerSecret = randomBytes(32).toString('hex');
  const webhookSecret = randomBytes(24).toString('hex');
  const projects = wish.projects.map((project) => `"${project}"`).join(', ');
  const toml = `
data_dir = "${wish.dataDir}"

[redis]
prefix = "${wish.redisPrefix ?? 'fixpoint'}"
allow_no_persistence = true

[[forge]]
id = "sim"
kind = "${wish.kind ?? 'forgejo'}"
base_url = "${wish.forgeUrl}"
token_env = "SIM_TOKEN"
webhook_secret_envs = ["SIM_WEBHOOK_SECRET"]
projects = [${projects}]

[ingress]
port = ${wish.ingressPort ?? 0}

[review]
quiet_seconds = ${wish.quietSeconds ?? 0}
runner = "${wish.runner ?? 'auto'}"

[health]
enabled = false

${withoutGrace(wish.more ?? '')}
`;
  const env = {
    SIM_TOKEN: wish.token,
    SIM_WEBHOOK_SECRET: webhookSecret,
    FIXPOINT_MARKER_SECRET: markerSecret,
    ...(wish.redisUrl === undefined ? {} : { REDIS_URL: wish.redisUrl }),
  };
  return { toml, env, webhookSecret, markerSecret };
};
