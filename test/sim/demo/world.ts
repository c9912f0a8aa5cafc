/** A simulated forge with a project and a bot, the real services, and a Redis for both. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { findRedis } from '../../../services/cli/redis/find-redis.ts';
import { type OneProcess, startOneProcess } from '../../../services/cli/one-process.ts';
import { startEmbeddedRedis } from '../../../services/cli/redis/embedded-redis.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { makeSettings } from '../../support/settings.ts';
import { type DemoModel, startDemoModel } from './model.ts';
import { type DemoForge, REPO } from './forge.ts';
import { type DemoForgeName, startDemoForge } from './start-forge.ts';

export type DemoWorld = {
  readonly forge: DemoForge;
  readonly services: OneProcess;
  readonly model: DemoModel | null;
  readonly markerSecret: string;
  /** For the search at the end, which must find none of them. */
  readonly secrets: readonly string[];
  readonly connectRedis: () => Redis;
  readonly close: () => Promise<void>;
};

export type DemoOptions = {
  /** Gets one line about what the story uses. */
  readonly tell: (line: string) => void;
  readonly port?: number;
  readonly forge?: DemoForgeName;
  /** Default: only the built-in rules. */
  readonly runner?: 'rules' | 'agent';
  /** Uses an in-process Redis even when a real one is available. */
  readonly embedded?: boolean;
  /** Default: warnings to standard error. */
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

const modelEnv = (model: DemoModel | null): Readonly<Record<string, string>> =>
  model === null ? {} : { ANTHROPIC_API_KEY: model.sim.apiKey, ANTHROPIC_BASE_URL: model.sim.url };

/** Contract: the caller calls `close`, which also deletes all files. */
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
