/**
 * All services in this process with a simulated Forgejo and a real Redis, for story tests. Every story ends with
 * `finish`, which searches logs, Redis and requests to the forge for the configured secrets.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { startOneProcess } from '../../services/cli/one-process.ts';
import { createDecisions, type DecisionRecord } from '../../shared/store/decisions.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { type ForgejoSim, startForgejoSim } from '../sim/forgejo/start.ts';
import type { MessagesSim } from '../sim/messages/start.ts';
import { failOnLeaks } from './fail-on-leaks.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { outsideSettings, type OutsideWish } from './outside-settings.ts';
import { makeSettings } from './settings.ts';
import { openStoryQueues, type StoryQueues } from './story-queues.ts';

export const OWNER = 'shop-team';
export const AUTHOR = 'author';
export const OUTSIDER = 'outsider';
export const BOT = 'fixpoint';
export const REPO = `${OWNER}/shop`;

export type StoryWorld = {
  readonly sim: ForgejoSim;
  /** The repository of the story, which the functions of `story.ts` act on. */
  readonly repo: string;
  /** The same world with another of its repositories. */
  readonly at: (repo: string) => StoryWorld;
  readonly redis: Redis;
  readonly ingressUrl: string;
  readonly projectId: number;
  readonly markerSecret: string;
  readonly botId: number;
  readonly dataDir: string;
  readonly decisions: (number: number) => Promise<readonly DecisionRecord[]>;
  /** Resolves once guard has recorded a decision with a matching reason. */
  readonly decided: (number: number, reason: RegExp) => Promise<void>;
  /** Resolves once no webhook is in progress and no job is waiting or active. */
  readonly calm: () => Promise<void>;
  /** The metrics of all services, as they serve them. */
  readonly metrics: () => Promise<string>;
  /** Runs a sweep immediately. */
  readonly sweep: () => Promise<void>;
  /** Fails on a leaked secret, a request outside the forge's API, or a quick action. */
  readonly finish: () => Promise<void>;
};

/**
 * `requests` are searched at the end; a model that is only an address has none. `toml` and `env` name it to the services;
 * without them it is the one of the short form.
 */
export type StageModel = Pick<MessagesSim, 'apiKey' | 'url'> &
  Partial<Pick<MessagesSim, 'requests'>> & {
    readonly toml?: string;
    readonly env?: Readonly<Record<string, string>>;
  };

export type StoryWish = {
  readonly more?: string;
  /** Names of further repositories of the same owner, each served too. */
  readonly moreRepos?: readonly string[];
  /** Patterns of the served projects. Default: the repositories. */
  readonly serves?: readonly string[];
  readonly review?: string;
  /** The reviewing model, in addition to the rules. Default: only the rules. The caller closes it. */
  readonly model?: StageModel;
  readonly forge?: 'forgejo' | 'gitea';
  readonly objectFormat?: 'sha1' | 'sha256';
  /** Accounts with write access that the operator has configured as other bots. */
  readonly otherBots?: readonly string[];
  readonly claudeCode?: string;
  readonly outside?: OutsideWish;
  /** Data folder of the services; the caller removes it. */
  readonly dataDir?: string;
  /** Further variables of the environment. All of them are secrets. */
  readonly env?: Readonly<Record<string, string>>;
};

export const STORY_MS = 120_000;
const WAIT_MS = 60_000;
const LOOK_MS = 25;
const PREFIX = 'fixpoint';

export const eventually = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + WAIT_MS;
  while (!(await holds())) {
    if (performance.now() >= deadline) throw new Error(`in vain waited for: ${what}`);
    await pause(LOOK_MS);
  }
};

type Ground = {
  readonly folder: string;
  readonly server: TestRedis;
  readonly redis: Redis;
  readonly queues: StoryQueues;
  readonly sim: ForgejoSim;
  readonly bot: { readonly id: number; readonly token: string };
  readonly projectId: number;
  /** The id of each repository, by its full name. */
  readonly projectIds: ReadonlyMap<string, number>;
  readonly otherBotIds: readonly number[];
};

const layGround = async ({
  otherBots = [],
  objectFormat = 'sha1',
  forge,
  moreRepos = [],
}: StoryWish): Promise<Ground> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-story-'));
  // The cage's account must reach the checkouts in this folder.
  await chmod(folder, 0o711);
  const server = await startRedis();
  const sim = await startForgejoSim({
    dataDir: path.join(folder, 'forge'),
    ...(forge === 'gitea' ? { flavour: 'gitea-1.26' as const } : {}),
  });
  for (const login of [OWNER, AUTHOR, OUTSIDER]) sim.createUser({ login });
  const bot = sim.createUser({ login: BOT });
  const otherBotIds = otherBots.map((login) => sim.createUser({ login }).id);
  const projectIds = new Map<string, number>();
  for (const name of ['shop', ...moreRepos]) {
    const { id } = await sim.createRepo(OWNER, name, { objectFormat });
    projectIds.set(`${OWNER}/${name}`, id);
    for (const login of [AUTHOR, BOT, ...otherBots]) sim.addCollaborator(`${OWNER}/${name}`, login, 'write');
  }
  const projectId = projectIds.get(REPO) ?? 0;
  const redis = connectRedis(server.url, 'worker');
  return {
    folder,
    server,
    redis,
    queues: openStoryQueues(redis, PREFIX),
    sim,
    bot,
    projectId,
    projectIds,
    otherBotIds,
  };
};

const clearGround = async ({ folder, server, redis, queues, sim }: Ground): Promise<void> => {
  await queues.close();
  redis.disconnect();
  await sim.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
};

const dataDirOf = ({ folder }: Pick<Ground, 'folder'>, { dataDir }: StoryWish): string =>
  dataDir ?? path.join(folder, 'data');

const startServices = async (ground: Ground, wish: StoryWish) => {
  const { folder, server, sim, bot, projectId, projectIds, otherBotIds } = ground;
  const outside = outsideSettings(wish.outside, projectId);
  const made = makeSettings({
    kind: wish.forge ?? 'forgejo',
    forgeUrl: sim.url,
    token: bot.token,
    projects: wish.serves ?? [...projectIds.keys()],
    dataDir: dataDirOf({ folder }, wish),
    redisPrefix: PREFIX,
    ...(wish.outside?.reviews === true ? { runner: 'messages' } : {}),
    ...(wish.claudeCode === undefined ? {} : { runner: 'claude-code' }),
    more: `[sweep]\ninterval_seconds = 3600\nrequests_per_second = 1000\n${cliSettings(wish)}${wish.model?.toml ?? ''}${wish.more ?? ''}\n${outside.toml}`,
  });
  // The added characters make the secret's encodings differ; letters and digits look the same in a URL.
  const markerSecret = `${made.markerSecret}/+ü&`;
  const lines: string[] = [];
  const registries: Registry[] = [];
  const services = await startOneProcess({
    settings: made.toml
      .replace('[review]\n', `[review]\n${wish.review ?? ''}\n`)
      .replace('[ingress]\n', `bot_user_ids = [${otherBotIds.join(', ')}]\n\n[ingress]\n`),
    folder,
    env: { ...made.env, FIXPOINT_MARKER_SECRET: markerSecret, ...modelEnv(wish), ...outside.env, ...wish.env },
    connectRedis: () => connectRedis(server.url, 'worker'),
    logTo: { write: (line) => void lines.push(line) },
    logLevel: 'debug',
    onMetrics: (registry) => void registries.push(registry),
  });
  for (const repo of projectIds.keys())
    sim.addWebhook({ repo, url: `${services.ingressUrl}/webhooks/sim`, secret: made.webhookSecret });
  const secrets = [
    bot.token,
    made.webhookSecret,
    markerSecret,
    ...(wish.model === undefined ? [] : [wish.model.apiKey]),
    ...Object.values(outside.env),
    ...Object.values(wish.env ?? {}),
  ];
  const metrics = async (): Promise<string> =>
    (await Promise.all(registries.map(async (registry) => registry.metrics()))).join('\n');
  return { services, lines, markerSecret, secrets, metrics };
};

const cliSettings = ({ claudeCode }: StoryWish): string =>
  claudeCode === undefined ? '' : `[agent.claude_code]\ncommand = "${claudeCode}"\n`;

const modelEnv = ({ model }: StoryWish): Readonly<Record<string, string>> =>
  model === undefined ? {} : (model.env ?? { ANTHROPIC_API_KEY: model.apiKey, ANTHROPIC_BASE_URL: model.url });

/** Contract: the caller ends with `finish`, also when a test fails. */
export const startStoryWorld = async (wish: StoryWish = {}): Promise<StoryWorld> => {
  const ground = await layGround(wish);
  const { sim, redis, queues, bot, projectIds } = ground;
  const started = await startServices(ground, wish);
  const records = createDecisions(redis, createKeys(PREFIX));
  const calm = async (): Promise<void> => {
    await sim.settled();
    await eventually('idle queues', queues.idle);
  };
  const at = (repo: string): StoryWorld => {
    const projectId = projectIds.get(repo) ?? 0;
    const decisions: StoryWorld['decisions'] = async (number) => records.list({ forge: 'sim', projectId, number });
    const decided: StoryWorld['decided'] = async (number, reason) =>
      eventually(`a decision: ${reason.source}`, async () =>
        (await decisions(number)).some((each) => reason.test(each.reason)),
      );
    return { ...shared, repo, projectId, decisions, decided };
  };
  const shared = {
    at,
    sim,
    redis,
    ingressUrl: started.services.ingressUrl,
    markerSecret: started.markerSecret,
    botId: bot.id,
    dataDir: dataDirOf(ground, wish),
    calm,
    metrics: started.metrics,
    sweep: async () => {
      await queues.addSweep();
      await calm();
    },
    finish: async () => {
      try {
        await calm();
        const { lines, secrets } = started;
        const modelRequests = wish.model?.requests ?? [];
        const connect = (): Redis => connectRedis(ground.server.url, 'worker');
        await failOnLeaks({ sim, lines, connect, secrets, modelRequests });
      } finally {
        await started.services.close();
        await clearGround(ground);
      }
    },
  };
  return at(REPO);
};
