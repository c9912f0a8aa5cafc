/**
 * A whole installation as real processes: any number per service, a real Redis, and a simulated forge that sends webhooks
 * to every ingress. Each purpose has its own account, so that a service that uses another service's secret fails.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import type { ServiceName } from '../../shared/config/service-needs.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import type { ForgejoSim } from '../sim/forgejo/start.ts';
import { builtScript } from './built.ts';
import { type FleetSim, handsOn, type SimOf, startSim } from './fleet-forge.ts';
import { type Evidence, failOnLeaks } from './fail-on-leaks.ts';
import {
  type FleetKnobs,
  type FleetSettings,
  type FleetSettingsWish,
  makeFleetSettings,
  type RedisPlace,
} from './fleet-settings.ts';
import { freePort, startRedis, type TestRedis } from './redis.ts';
import { type LogRecord, type ServiceProcess, startServiceProcess } from './service-process.ts';

export const OWNER = 'shop-team';
export const AUTHOR = 'author';
export const BOT = 'fixpoint';

export type SpawnOptions = {
  readonly crashAt?: string;
  /** Folder with the compiled services of another version. Default: those of this checkout. */
  readonly dist?: string;
};

export type Fleet<Sim extends FleetSim = ForgejoSim> = {
  readonly sim: Sim;
  readonly redis: FleetRedis;
  readonly settings: FleetSettings;
  /** Full names, in the order of the wish. */
  readonly repos: readonly string[];
  /** All processes that were started, including ended ones. */
  readonly processes: readonly ServiceProcess[];
  readonly spawn: (name: ServiceName, options?: SpawnOptions) => Promise<ServiceProcess>;
  readonly alive: (name: ServiceName) => readonly ServiceProcess[];
  readonly records: (name: ServiceName) => readonly LogRecord[];
  readonly close: () => Promise<void>;
};

export type FleetWish<Kind extends ForgeKind> = {
  readonly forge?: Kind;
  readonly count?: Partial<Readonly<Record<ServiceName, number>>>;
  readonly repos?: readonly string[];
  readonly knobs?: FleetKnobs;
  /** Added to the environment of every process. */
  readonly env?: Readonly<Record<string, string>>;
  /** How the services reach the forge whose own address is given. Default: by that address. */
  readonly reach?: (url: string) => Promise<Reach>;
  /** Default: a Redis of its own, without a password. */
  readonly redis?: FleetRedis;
};

type Reach = Pick<FleetSettingsWish, 'forgeUrl' | 'forgeToml'> & {
  /** More variables of every process. */
  readonly env: Readonly<Record<string, string>>;
};

export type FleetRedis = RedisPlace & {
  /** A connection that sees everything, for the search for leaks. */
  readonly connect: () => Redis;
} & Pick<TestRedis, 'kill' | 'restart' | 'stop'>;

const ownRedis = async (): Promise<FleetRedis> => {
  const server = await startRedis();
  return Object.assign(server, { connect: () => connectRedis(server.url, 'worker') });
};

const SERVICES: readonly ServiceName[] = ['poster', 'guard', 'reviewer', 'explorer', 'ingress'];

type Ground<Sim extends FleetSim = FleetSim> = {
  readonly folder: string;
  readonly redis: FleetRedis;
  readonly sim: Sim;
  readonly repos: readonly string[];
  readonly settings: FleetSettings;
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Contract: the caller closes the fleet, also when a test fails; closing fails when logs, Redis or requests hold a secret.
 * When starting fails, everything is stopped.
 */
export const startFleet = async <Kind extends ForgeKind = 'forgejo'>(
  wish: FleetWish<Kind> = {},
): Promise<Fleet<SimOf[Kind]>> => {
  const undo: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => undoAll(undo.splice(0).toReversed());
  try {
    const ground = await layGround(wish, undo);
    const fleet = createFleet(ground, close);
    undo.push(async () => searchFleet(fleet, wish.knobs?.model?.requests ?? []));
    undo.push(async () => {
      await Promise.all(fleet.processes.map(async (each) => each.kill()));
    });
    const wanted = SERVICES.flatMap((name) => Array.from({ length: wish.count?.[name] ?? 1 }, () => name));
    await Promise.all(wanted.map(async (name) => fleet.spawn(name)));
    return fleet;
  } catch (error) {
    // The error at the start matters more than errors during cleanup.
    await close().catch(() => {});
    throw error;
  }
};

/** Runs every cleanup, even after a failure, then throws the first failure. */
const undoAll = async (all: readonly (() => Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const each of all) await each().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
};

type ModelRequests = NonNullable<Evidence['modelRequests']>;

const searchFleet = async (fleet: Fleet<FleetSim>, modelRequests: ModelRequests): Promise<void> => {
  const { sim, redis, settings, processes } = fleet;
  // A fleet that never started has no logs to search.
  if (processes.length === 0) return;
  await Promise.all(processes.map(async (each) => each.drained));
  const lines = processes.flatMap(({ output }) => output);
  await failOnLeaks({ sim, lines, connect: redis.connect, secrets: settings.secrets, modelRequests });
};

const layGround = async <Kind extends ForgeKind>(
  wish: FleetWish<Kind>,
  undo: (() => Promise<void>)[],
): Promise<Ground<SimOf[Kind]>> => {
  // Without `forge`, the type parameter has its default.
  const kind = wish.forge ?? ('forgejo' as Kind);
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-fleet-'));
  // The cage's account must reach the checkouts in this folder.
  await chmod(folder, 0o711);
  undo.push(async () => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const redis = wish.redis ?? (await ownRedis());
  undo.push(async () => redis.stop());
  const sim = await startSim(kind, { dataDir: path.join(folder, 'forge') });
  undo.push(async () => sim.close());
  const people = { owner: OWNER, author: AUTHOR, bot: BOT };
  const { repos, projectIds, tokens } = await handsOn(sim).furnish({ ...people, names: wish.repos ?? ['shop'] });
  const { env, ...reach } = (await wish.reach?.(sim.url)) ?? { forgeUrl: sim.url, env: {} };
  const settings = makeFleetSettings({
    ...wish.knobs,
    ...reach,
    kind,
    tokens,
    projects: repos,
    ...(projectIds[0] === undefined ? {} : { projectId: projectIds[0] }),
    dataDir: path.join(folder, 'data'),
    redis,
  });
  return { folder, redis, sim, repos, settings, env: { ...env, ...wish.env } };
};

const createFleet = <Sim extends FleetSim>(ground: Ground<Sim>, close: () => Promise<void>): Fleet<Sim> => {
  const { sim, redis, settings, repos } = ground;
  const processes: ServiceProcess[] = [];
  const ended = new Set<ServiceProcess>();
  let started = 0;
  const spawn = async (name: ServiceName, options: SpawnOptions = {}): Promise<ServiceProcess> => {
    started += 1;
    const service = await launch(ground, { name, options, label: `${name}-${started}` });
    processes.push(service);
    void service.exited.then(() => ended.add(service));
    return service;
  };
  return {
    sim,
    redis,
    settings,
    repos,
    processes,
    spawn,
    alive: (name) => processes.filter((each) => each.name === name && !ended.has(each)),
    records: (name) => processes.filter((each) => each.name === name).flatMap((each) => each.records),
    close,
  };
};

type Launch = { readonly name: ServiceName; readonly options: SpawnOptions; readonly label: string };

const scriptOf = async (name: ServiceName, { dist }: SpawnOptions): Promise<string> => {
  const script = `services/${name}/main.js`;
  return dist === undefined ? builtScript(script) : path.join(dist, script);
};

const launch = async (ground: Ground, { name, options, label }: Launch): Promise<ServiceProcess> => {
  const { folder, sim, repos, settings, env } = ground;
  const port = name === 'ingress' ? await freePort() : 0;
  const configFile = path.join(folder, `${label}.toml`);
  await writeFile(configFile, settings.toml(port));
  const service = await startServiceProcess({
    name,
    script: await scriptOf(name, options),
    configFile,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      ...env,
      ...settings.envOf(name),
      ...(options.crashAt === undefined ? {} : { FIXPOINT_CRASH_AT: `${name}:${options.crashAt}` }),
    },
    logFile: path.join(folder, `${label}.log`),
  });
  if (name === 'ingress') listenToHooks({ sim, repos, settings, port, service });
  return service;
};

type Hooking = Pick<Ground, 'sim' | 'repos' | 'settings'> & {
  readonly port: number;
  readonly service: ServiceProcess;
};

/** Adds one hook per ingress and project, and removes it with the process, so that deliveries reach running processes only. */
const listenToHooks = ({ sim, repos, settings, port, service }: Hooking): void => {
  const url = `http://127.0.0.1:${port}/webhooks/sim`;
  const removers = repos.map((repo) => handsOn(sim).addWebhook({ repo, url, secret: settings.webhookSecret }));
  void service.exited.then(() => {
    for (const remove of removers) remove();
  });
};
