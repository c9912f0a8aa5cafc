/** Settings of a fleet: one simulated forge, one account per purpose, short intervals. */
import { randomBytes } from 'node:crypto';
import { type Config, loadConfig } from '../../shared/config/load.ts';
import { SERVICE_NEEDS, secretVariables, type ServiceName } from '../../shared/config/service-needs.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { outsideSettings, type OutsideWish } from './outside-settings.ts';
import type { StageModel } from './story-world.ts';

export type FleetKnobs = {
  /** The port of guard for health and metrics; the next five are those of the other workers. Default: no ports. */
  readonly healthPort?: number;
  /** Additional TOML, whole tables only. */
  readonly more?: string;
  readonly lockMs?: number;
  readonly stalledMs?: number;
  readonly sweepSeconds?: number;
  readonly runningPerProject?: number;
  readonly quietSeconds?: number;
  readonly backoffMs?: number;
  readonly maxRounds?: number;
  readonly maxRuns?: number;
  readonly reviewAttempts?: number;
  /** How long work may wait in queues before its run counts as failed. */
  readonly maxWaitS?: number;
  readonly maxRuntimeS?: number;
  readonly reviewConcurrency?: number;
  /** Logins to call when a person must decide. */
  readonly operators?: readonly string[];
  /** A simulated reviewing model. Default: only the rules. */
  readonly model?: StageModel;
  readonly outside?: OutsideWish;
};

/** How services reach Redis: the lines of the table `[redis]`, and the variables that it names. */
export type RedisPlace = {
  readonly url: string;
  readonly toml?: string;
  readonly env?: Readonly<Record<string, string>>;
};

export type FleetSettingsWish = FleetKnobs & {
  readonly kind?: ForgeKind;
  readonly forgeUrl: string;
  /** More lines of the table of the forge. */
  readonly forgeToml?: string;
  readonly tokens: { readonly read: string; readonly post: string; readonly git: string };
  readonly projects: readonly string[];
  /** Id of the first project. Set only with external programs. */
  readonly projectId?: number;
  readonly dataDir: string;
  readonly redis: RedisPlace;
};

export type FleetSettings = {
  readonly toml: (ingressPort: number) => string;
  readonly webhookSecret: string;
  readonly markerSecret: string;
  readonly secrets: readonly string[];
  /** The environment with only the secrets that the service needs. */
  readonly envOf: (service: ServiceName) => Readonly<Record<string, string>>;
};

export const makeFleetSettings = (wish: FleetSettingsWish): FleetSettings => {
  const markerSecret = randomBytes(32).toString('hex');
  const webhookSecret = randomBytes(24).toString('hex');
  const outside = outsideSettings(wish.outside, wish.projectId ?? 0);
  const toml = (ingressPort: number): string =>
    `${render(wish, ingressPort)}\n${modelToml(wish)}\n${outside.toml}\n${wish.more ?? ''}\n`;
  const env: Readonly<Record<string, string>> = {
    SIM_READ_TOKEN: wish.tokens.read,
    SIM_POST_TOKEN: wish.tokens.post,
    SIM_GIT_TOKEN: wish.tokens.git,
    SIM_WEBHOOK_SECRET: webhookSecret,
    FIXPOINT_MARKER_SECRET: markerSecret,
    REDIS_URL: wish.redis.url,
    ...wish.redis.env,
    ...outside.env,
    ...wish.model?.env,
    ...(wish.model === undefined ? {} : { ANTHROPIC_API_KEY: wish.model.apiKey, ANTHROPIC_BASE_URL: wish.model.url }),
  };
  const config = load(toml(0));
  return {
    toml,
    webhookSecret,
    markerSecret,
    secrets: [
      ...Object.values(wish.tokens),
      webhookSecret,
      markerSecret,
      ...modelSecrets(wish),
      ...Object.values(wish.redis.env ?? {}),
      ...Object.values(outside.env),
    ],
    envOf: (service) => {
      const names = new Set(secretVariables(config, SERVICE_NEEDS[service]));
      return Object.fromEntries(Object.entries(env).filter(([name]) => names.has(name)));
    },
  };
};

const runnerOf = ({ model, outside }: FleetSettingsWish): string => {
  if (outside?.reviews === true) return 'messages';
  return model === undefined ? 'rules' : 'agent';
};

const modelSecrets = ({ model }: FleetSettingsWish): readonly string[] => (model === undefined ? [] : [model.apiKey]);

const load = (text: string): Config => {
  const loaded = loadConfig({ text, env: {}, needs: [], folder: '/' });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const REVIEWER = '[agent.reviewer]\n';

/** The table of the reviewer may be given with the model, and a table can be written only once. */
const modelToml = ({ model, maxRuntimeS = 600 }: FleetSettingsWish): string => {
  const given = model?.toml ?? '';
  const table = `${REVIEWER}max_runtime_s = ${maxRuntimeS}\n`;
  return given.includes(REVIEWER) ? given.replace(REVIEWER, table) : table + given;
};

const renderRedis = ({ toml = '' }: RedisPlace): string => `[redis]\n${toml}`;

const renderHealth = ({ healthPort }: FleetKnobs): string =>
  healthPort === undefined ? 'enabled = false' : `port_base = ${healthPort}`;

const render = (wish: FleetSettingsWish, ingressPort: number): string => `
data_dir = "${wish.dataDir}"

${renderRedis(wish.redis)}

[[forge]]
id = "sim"
kind = "${wish.kind ?? 'forgejo'}"
base_url = "${wish.forgeUrl}"
read_token_env = "SIM_READ_TOKEN"
post_token_env = "SIM_POST_TOKEN"
git_token_env = "SIM_GIT_TOKEN"
webhook_secret_envs = ["SIM_WEBHOOK_SECRET"]
projects = [${wish.projects.map((project) => `"${project}"`).join(', ')}]
${wish.forgeToml ?? ''}

[ingress]
port = ${ingressPort}

[review]
quiet_seconds = ${wish.quietSeconds ?? 0}
runner = "${runnerOf(wish)}"

[gate]
ci_grace_s = 0

[rounds]
max = ${wish.maxRounds ?? 3}
max_runs = ${wish.maxRuns ?? 12}
attempts = ${wish.reviewAttempts ?? 2}

[limits]
running_per_project = ${wish.runningPerProject ?? 20}

[budgets]
max_wait_s = ${wish.maxWaitS ?? 1_200}

[queues]
lock_ms = ${wish.lockMs ?? 5_000}
stalled_ms = ${wish.stalledMs ?? 2_000}
backoff_ms = ${wish.backoffMs ?? 200}

[queues.concurrency]
review = ${wish.reviewConcurrency ?? 2}

[sweep]
interval_seconds = ${wish.sweepSeconds ?? 3_600}
requests_per_second = 1000

[health]
${renderHealth(wish)}

[operators]
logins = [${(wish.operators ?? []).map((login) => `"${login}"`).join(', ')}]
`;
