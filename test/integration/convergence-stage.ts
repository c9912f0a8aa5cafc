/** All services in one process with a simulated forge of any kind, a real Redis and a scripted model. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { type OneProcess, startOneProcess } from '../../services/cli/one-process.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { createDecisions, type DecisionRecord } from '../../shared/store/decisions.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { startMessagesSim, type MessagesSim } from '../sim/messages/start.ts';
import { failOnLeaks } from '../support/fail-on-leaks.ts';
import { type FleetSim, handsOn, startSim } from '../support/fleet-forge.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { makeSettings } from '../support/settings.ts';
import { openStoryQueues, type StoryQueues } from '../support/story-queues.ts';
import { eventually } from '../support/story-world.ts';
import { naggingReviewer } from './convergence-reviewer.ts';
import { homeOf } from './verdict-stage.ts';

export const [OWNER, AUTHOR, BOT] = ['shop-team', 'author', 'fixpoint'];

export type ConvergenceStage = {
  readonly kind: ForgeKind;
  readonly sim: FleetSim;
  readonly repo: string;
  readonly markerSecret: string;
  readonly model: MessagesSim;
  readonly flush: () => Promise<void>;
  readonly botName: () => string;
  /** Restarts the services with another account of the forge. */
  readonly changeBot: (wish: { readonly listed: boolean }) => Promise<void>;
  readonly decisions: (number: number) => Promise<readonly DecisionRecord[]>;
  /** Resolves once no webhook is in progress and no job is waiting or active. */
  readonly calm: () => Promise<void>;
  readonly sweep: () => Promise<void>;
  /** Fails on a leaked secret, or on a request that the forge's or the model's API would have rejected. */
  readonly finish: () => Promise<void>;
};

const PREFIX = 'fixpoint';
const DEVELOPER = 30;

const MORE = `
[rounds]
max = 9
max_runs = 50
thread_count = 4
[sweep]
interval_seconds = 3600
requests_per_second = 1000
[queues]
backoff_ms = 100
`;

type Ground = {
  readonly kind: ForgeKind;
  readonly folder: string;
  readonly server: TestRedis;
  readonly sim: FleetSim;
  readonly model: MessagesSim;
  readonly redis: Redis;
  readonly queues: StoryQueues;
  readonly repo: string;
  readonly token: string;
  readonly botId: number;
  readonly lines: string[];
  readonly secrets: Set<string>;
};

/** Creates a bot account; its id is not configured unless it is listed. */
const addBot = (sim: FleetSim, repo: string, login: string): Pick<Ground, 'botId' | 'token'> => {
  const { id, token } = sim.createUser({ login });
  if ('traits' in sim) sim.addCollaborator(repo, login, 'write');
  else sim.addMember(repo, login, DEVELOPER);
  return { botId: id, token };
};

const layGround = async (kind: ForgeKind): Promise<Ground> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-convergence-'));
  const [server, sim, model] = await Promise.all([
    startRedis(),
    startSim(kind, { dataDir: path.join(folder, 'forge') }),
    startMessagesSim({ apiKeys: ['convergence-model-key-0123456789'] }),
  ]);
  model.script(naggingReviewer);
  const furnished = await handsOn(sim).furnish({ owner: OWNER, author: AUTHOR, bot: `${BOT}-0`, names: ['shop'] });
  const [repo = ''] = furnished.repos;
  const redis = connectRedis(server.url, 'worker');
  const bot = addBot(sim, repo, BOT);
  const queues = openStoryQueues(redis, PREFIX);
  return { kind, folder, server, sim, model, redis, queues, repo, ...bot, lines: [], secrets: new Set() };
};

type Running = { readonly services: OneProcess; readonly markerSecret: string; readonly close: () => Promise<void> };

type Identity = { readonly token: string; readonly previous: readonly number[]; readonly markerSecret: string | null };

const startServices = async (ground: Ground, { token, previous, markerSecret }: Identity): Promise<Running> => {
  const { kind, folder, sim, server, model, repo, lines, secrets } = ground;
  const made = makeSettings({
    kind,
    forgeUrl: sim.url,
    token,
    projects: [repo],
    dataDir: path.join(folder, 'data'),
    redisPrefix: PREFIX,
    more: MORE,
  });
  const signing = markerSecret ?? made.markerSecret;
  const services = await startOneProcess({
    settings: made.toml.replace('projects = [', `previous_bot_user_ids = [${previous.join(', ')}]\nprojects = [`),
    folder,
    env: {
      ...made.env,
      FIXPOINT_MARKER_SECRET: signing,
      ANTHROPIC_API_KEY: model.apiKey,
      ANTHROPIC_BASE_URL: model.url,
    },
    connectRedis: () => connectRedis(server.url, 'worker'),
    logTo: { write: (line) => void lines.push(line) },
    logLevel: 'debug',
  });
  const secret = made.webhookSecret;
  const unhook = handsOn(sim).addWebhook({ repo, url: `${services.ingressUrl}/webhooks/sim`, secret });
  for (const each of [token, secret, signing, model.apiKey]) secrets.add(each);
  const close = async (): Promise<void> => {
    unhook();
    await services.close();
  };
  return { services, markerSecret: signing, close };
};

const clear = async ({ queues, redis, sim, model, server, folder }: Ground): Promise<void> => {
  await queues.close();
  redis.disconnect();
  await sim.close();
  await model.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
};

const search = async ({ sim, lines, server, secrets, model }: Ground): Promise<void> => {
  const connect = (): Redis => connectRedis(server.url, 'worker');
  await failOnLeaks({ sim, lines, connect, secrets: [...secrets], modelRequests: model.requests });
  if (model.violations.length > 0) throw new Error(model.violations.join('\n'));
};

/** Contract: the caller ends with `finish`, also when a test fails. */
export const startConvergenceStage = async (kind: ForgeKind): Promise<ConvergenceStage> => {
  const ground = await layGround(kind);
  const { sim, redis, queues, repo, model } = ground;
  let running = await startServices(ground, { token: ground.token, previous: [], markerSecret: null });
  const { markerSecret } = running;
  const ids = [ground.botId];
  let botName: string = BOT;
  const calm = async (): Promise<void> => {
    await sim.settled();
    await eventually('idle queues', queues.idle);
  };
  return {
    kind,
    sim,
    repo,
    markerSecret,
    model,
    calm,
    flush: async () => void (await redis.flushall()),
    botName: () => botName,
    changeBot: async ({ listed }) => {
      await running.close();
      botName = `${BOT}-${ids.length}`;
      const { botId, token } = addBot(sim, repo, botName);
      running = await startServices(ground, { token, previous: listed ? ids : [], markerSecret });
      ids.push(botId);
    },
    decisions: async (number) =>
      createDecisions(redis, createKeys(PREFIX)).list({ forge: 'sim', projectId: homeOf(sim, repo).id, number }),
    sweep: async () => {
      await queues.addSweep();
      await calm();
    },
    finish: async () => {
      try {
        await calm();
        await search(ground);
      } finally {
        await running.close();
        await clear(ground);
      }
    },
  };
};
