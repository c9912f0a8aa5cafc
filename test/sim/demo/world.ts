/** A simulated forge with a project and a bot, the real services beside it, and a Redis for both. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { findRedis } from '../../../services/cli/redis/find-redis.ts';
import { type OneProcess, startOneProcess } from '../../../services/cli/one-process.ts';
import { startEmbeddedRedis } from '../../support/embedded.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { makeSettings } from '../../support/settings.ts';
import { type DemoModel, startDemoModel } from './model.ts';
import { type DemoForge, REPO } from './forge.ts';
import { type DemoForgeName, startDemoForge } from './start-forge.ts';

export type DemoWorld = {
  readonly forge: DemoForge;
  readonly services: OneProcess;
  /** Null where the rules review alone. */
  readonly model: DemoModel | null;
  readonly markerSecret: string;
  /** For the search at the end: everything that must stand nowhere. */
  readonly secrets: readonly string[];
  readonly connectRedis: () => Redis;
  readonly close: () => Promise<void>;
};

export type DemoOptions = {
  /** Told in one line what the story runs on. */
  readonly tell: (line: string) => void;
  readonly port?: number;
  /** Default: a Forgejo. */
  readonly forge?: DemoForgeName;
  /** Default: the built-in rules alone. */
  readonly runner?: 'rules' | 'agent';
  /** Redis inside the process even where a real one is at hand. */
  readonly embedded?: boolean;
  /** Default: warnings, to the standard error stream. */
  readonly log?: Pick<Parameters<typeof startOneProcess>[0], 'logTo' | 'logLevel'>;
};

type DemoRedis = { readonly connect: () => Redis; readonly close: () => Promise<void> };

const openRedis = async (folder: string, { tell, embedded = false }: DemoOptions): Promise<DemoRedis> => {
  const found = embedded
    ? null
    : await findRedis({ url: process.env['REDIS_URL'], dataDir: folder }, process.env['PATH'] ?? '');
  if (found === null) {
    tell('No Redis found: using one inside this process. NOT DURABLE, for this demo only.');
    const inside = await startEmbeddedRedis();
    return { connect: inside.connect, close: inside.close };
  }
  const opened: Redis[] = [];
  return {
    connect: () => {
      const redis = connectRedis(found.url, 'worker');
      opened.push(redis);
      return redis;
    },
    close: async () => {
      for (const redis of opened) redis.disconnect();
      await found.stop();
    },
  };
};

/** What a process needs to call the model. */
const modelEnv = (model: DemoModel | null): Readonly<Record<string, string>> =>
  model === null ? {} : { ANTHROPIC_API_KEY: model.sim.apiKey, ANTHROPIC_BASE_URL: model.sim.url };

/** Contract: whoever gets it calls `close`, which also removes everything from the disk. */
export const startDemoWorld = async (options: DemoOptions): Promise<DemoWorld> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-demo-'));
  const redis = await openRedis(folder, options);
  const forge = await startDemoForge(options.forge ?? 'forgejo-15', {
    dataDir: path.join(folder, 'forge'),
    ...(options.port === undefined ? {} : { port: options.port }),
  });
  const model = options.runner === 'agent' ? await startDemoModel() : null;
  const settings = makeSettings({
    kind: forge.kind,
    forgeUrl: forge.url,
    token: forge.bot.token,
    projects: [REPO],
    dataDir: path.join(folder, 'data'),
    redisPrefix: `demo-${randomBytes(4).toString('hex')}`,
    more: `[sweep]\ninterval_seconds = 3600`,
    runner: options.runner ?? 'rules',
  });
  const services = await startOneProcess({
    settings: settings.toml,
    folder,
    env: { ...settings.env, ...modelEnv(model) },
    connectRedis: redis.connect,
    ...(options.log ?? { logTo: 'stderr', logLevel: 'warn' }),
  });
  forge.addWebhook(`${services.ingressUrl}/webhooks/sim`, settings.webhookSecret);
  return {
    forge,
    services,
    model,
    markerSecret: settings.markerSecret,
    secrets: [
      forge.bot.token,
      settings.webhookSecret,
      settings.markerSecret,
      ...(model === null ? [] : [model.sim.apiKey]),
    ],
    connectRedis: redis.connect,
    close: async () => {
      await forge.settled();
      await services.close();
      await forge.close();
      await model?.sim.close();
      await redis.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
