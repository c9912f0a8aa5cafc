/** A simulated forge with a project and a bot, the real services, a Redis for both, and the poster as its own process. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type OneProcess, startOneProcess } from '../../../services/cli/one-process.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { SERVICE_NEEDS, secretVariables } from '../../../shared/config/service-needs.ts';
import { makeSettings, type Settings } from '../../support/settings.ts';
import { openStoryQueues } from '../../support/story-queues.ts';
import { findProgram } from './find-program.ts';
import { type DemoForge, OWNER, REPO } from './forge.ts';
import { type DemoModel, startDemoModel } from './model.ts';
import { type DemoRedis, openDemoRedis } from './open-redis.ts';
import { type PosterProcess, startPosterProcess } from './poster-process.ts';
import { type DemoForgeName, startDemoForge } from './start-forge.ts';

export type DemoWorld = {
  readonly forge: DemoForge;
  readonly services: OneProcess;
  readonly model: DemoModel | null;
  readonly markerSecret: string;
  /** What one change request may cost. */
  readonly limitUsd: number;
  /** The poster that runs now. */
  readonly poster: () => PosterProcess;
  /** Contract: the earlier one is gone. */
  readonly restartPoster: () => Promise<PosterProcess>;
  /** Resolves once no webhook is in progress and no job is waiting or active. */
  readonly calm: () => Promise<void>;
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
  /** What one change request may cost. Default: the product's. */
  readonly limitUsd?: number;
  /** Uses an in-process Redis even when a real one is available. */
  readonly embedded?: boolean;
  /** The clock of the model's cache. Default: the machine's. */
  readonly modelClock?: () => number;
  /** Default: warnings to standard error. */
  readonly log?: Pick<Parameters<typeof startOneProcess>[0], 'logTo' | 'logLevel'>;
};

/** The product's default for one change request. */
const DEFAULT_LIMIT_USD = 25;
const CALM_MS = 60_000;
const LOOK_MS = 25;

const modelEnv = (model: DemoModel | null): Readonly<Record<string, string>> =>
  model === null ? {} : { ANTHROPIC_API_KEY: model.sim.apiKey, ANTHROPIC_BASE_URL: model.sim.url };

/** A killed worker's job is taken over after `lock_ms`. Without a sandbox on the machine, none is looked for. */
const moreSettings = (limitUsd: number, hasSandbox: boolean): string => `[sweep]
interval_seconds = 3600

[queues]
lock_ms = 3000
stalled_ms = 1000

[budgets.model]
run_usd = ${Math.min(limitUsd, 5)}
change_request_usd = ${limitUsd}

[operators]
logins = ["${OWNER}"]

[log]
level = "info"
${hasSandbox ? '' : '\n[sandbox]\nbackend = "none"\n'}`;

type Stage = {
  readonly folder: string;
  readonly redis: DemoRedis;
  readonly forge: DemoForge;
  readonly settings: Settings;
  readonly prefix: string;
};

/** Only the secrets that the poster needs. */
const posterEnv = ({ settings, redis, folder }: Stage): Readonly<Record<string, string>> => {
  const loaded = loadConfig({ text: settings.toml, env: {}, needs: [], folder });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const all: Readonly<Record<string, string | undefined>> = { ...settings.env, REDIS_URL: redis.url };
  const names = secretVariables(loaded.config, SERVICE_NEEDS.poster);
  const given = names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]] as const]));
  return { PATH: process.env['PATH'] ?? '', HOME: folder, ...Object.fromEntries(given) };
};

const LEVELS = ['debug', 'info', 'warn', 'error'];

const heardBy =
  ({ logTo, logLevel }: NonNullable<DemoOptions['log']>) =>
  (line: string): void => {
    const level = /"level":"(\w+)"/.exec(line)?.[1] ?? 'error';
    if (LEVELS.indexOf(level) < LEVELS.indexOf(logLevel ?? 'info')) return;
    if (typeof logTo === 'object') logTo.write(`${line}\n`);
    else process.stderr.write(`${line}\n`);
  };

const posterOf = async (stage: Stage, log: NonNullable<DemoOptions['log']>) => {
  const configFile = path.join(stage.folder, 'poster.toml');
  await writeFile(configFile, stage.settings.toml);
  const start = async (): Promise<PosterProcess> =>
    startPosterProcess({ configFile, env: posterEnv(stage), hear: heardBy(log) });
  let running = await start();
  return {
    poster: () => running,
    restartPoster: async () => {
      running = await start();
      return running;
    },
  };
};

const calmOf = ({ redis, prefix, forge }: Stage) => {
  const queues = openStoryQueues(redis.connect(), prefix);
  const calm = async (): Promise<void> => {
    const deadline = performance.now() + CALM_MS;
    await forge.settled();
    while (!(await queues.idle())) {
      if (performance.now() >= deadline) throw new Error('the services are still busy');
      await pause(LOOK_MS);
    }
    await forge.settled();
  };
  return { calm, close: queues.close };
};

const makeStage = async (options: DemoOptions, limitUsd: number): Promise<Stage> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-demo-'));
  // The sandbox's account must reach the checkouts in this folder.
  await chmod(folder, 0o711);
  const redis = await openDemoRedis({ folder, embedded: options.embedded ?? false, tell: options.tell });
  const forge = await startDemoForge(options.forge ?? 'forgejo-15', {
    dataDir: path.join(folder, 'forge'),
    ...(options.port === undefined ? {} : { port: options.port }),
  });
  const prefix = `demo-${randomBytes(4).toString('hex')}`;
  const settings = makeSettings({
    kind: forge.kind,
    forgeUrl: forge.url,
    token: forge.bot.token,
    projects: [REPO],
    dataDir: path.join(folder, 'data'),
    redisPrefix: prefix,
    more: moreSettings(limitUsd, findProgram(['bwrap'], process.env['PATH'] ?? '') !== null),
    runner: options.runner ?? 'rules',
  });
  return { folder, redis, forge, settings, prefix };
};

/** Contract: the caller calls `close`, which also deletes all files. */
export const startDemoWorld = async (options: DemoOptions): Promise<DemoWorld> => {
  const { log = { logTo: 'stderr', logLevel: 'warn' }, limitUsd = DEFAULT_LIMIT_USD } = options;
  const stage = await makeStage(options, limitUsd);
  const { folder, redis, forge, settings } = stage;
  const model = options.runner === 'agent' ? await startDemoModel(options.modelClock) : null;
  const [posting, services] = await Promise.all([
    posterOf(stage, log),
    startOneProcess({
      settings: settings.toml,
      folder,
      env: { ...settings.env, ...modelEnv(model) },
      connectRedis: redis.connect,
      without: ['poster'],
      ...log,
    }),
  ]);
  forge.addWebhook(`${services.ingressUrl}/webhooks/sim`, settings.webhookSecret);
  const { calm, close: closeQueues } = calmOf(stage);
  const { token } = forge.bot;
  const secrets = [token, settings.webhookSecret, settings.markerSecret];
  return {
    forge,
    services,
    model,
    markerSecret: settings.markerSecret,
    limitUsd,
    ...posting,
    calm,
    secrets: model === null ? secrets : [...secrets, model.sim.apiKey],
    connectRedis: redis.connect,
    close: async () => {
      await forge.settled();
      await Promise.all([services.close(), posting.poster().stop(), closeQueues()]);
      await forge.close();
      await model?.sim.close();
      await redis.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
