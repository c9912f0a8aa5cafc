/** The common `main.ts` of all workers. It sets up configuration, log, Redis, forges, the service, health server and shutdown. */
import type { Redis } from 'ioredis';
import { healthAddress, type WorkerName } from '../config/loaded/health-port.ts';
import { type Config, findConfigPath, loadConfig } from '../config/load.ts';
import { secretValues } from '../config/loaded/secret-values.ts';
import { SERVICE_NEEDS, type ServiceName } from '../config/service-needs.ts';
import { CageMissingError } from './connect-cage.ts';
import { connectForges, type TokenPurpose } from './connect-forges.ts';
import type { Forge } from '../forge/port.ts';
import { startHealthServer } from './health.ts';
import { type HeartbeatOptions, startHeartbeat } from './heartbeat.ts';
import { createLastAnswers } from './last-answers.ts';
import { leaveWithParent, serviceArguments } from './leave-with-parent.ts';
import { createLogger, type Logger } from '../logger.ts';
import { createMetrics } from '../metrics.ts';
import { createRedisCheck } from './redis-check.ts';
import { watchOutages } from '../outage/watch-outages.ts';
import { createShutdown, runUntilSignal, type Shutdown } from './shutdown.ts';
import { createKeys } from '../store/keys.ts';
import { assertRedisIsSafe } from '../store/server/redis-safety.ts';
import { awaitRedis, connectRedis, RedisRefusedError } from '../store/redis.ts';
import { redisTargetOf } from './redis-target.ts';
import { startSteadyClock, useAsProcessClock } from '../store/steady-clock.ts';
import type { ServiceContext } from './service-context.ts';
import { startTracing } from './start-tracing.ts';
import { PackagesMissingError } from './packages-missing.ts';

export type RunningService = {
  /** Contract: takes no new work, lets running work end within the deadline, and returns unfinished work to the queue. */
  readonly close: (deadlineMs: number) => Promise<void>;
  /** Contract: same as in `HealthServerOptions`; constant while the service runs. */
  readonly notices?: readonly string[];
};

export type ServiceSpec = {
  readonly name: WorkerName & ServiceName;
  /** The purpose of the token for requests to forges. Null for services that make no such requests. */
  readonly forgeToken: TokenPurpose | null;
  readonly start: (context: ServiceContext) => Promise<RunningService>;
};

/** Leaves time for the other shutdown steps within the ten seconds that orchestrators allow. */
const DRAIN_MS = 5_000;

export const runService = async (spec: ServiceSpec): Promise<void> => {
  const { configPath: given, withParent } = serviceArguments();
  const configPath = findConfigPath(given, process.env);
  const config = configOrExit(spec.name, configPath);
  const log = createLogger({
    service: spec.name,
    level: config.log.level,
    to: 'stdout',
    secrets: secretValues(config.secrets),
  });
  const shutdown = createShutdown({ log });
  const stopped = runUntilSignal({ shutdown, log });
  if (withParent) leaveWithParent();
  try {
    await open(spec, { config, configPath, log, shutdown });
    log.info('service is running');
  } catch (err) {
    if (!shutdown.begun.aborted) {
      log.error({ err }, 'service could not start');
      // Exit code 2, as for an invalid configuration: the machine lacks what the configuration requires.
      const isLacking = err instanceof CageMissingError || err instanceof PackagesMissingError;
      if (isLacking) process.stderr.write(`${err.message}\n`);
      process.exit(isLacking ? 2 : 1);
    }
  }
  await stopped;
};

const configOrExit = (name: ServiceName, path: string): Config => {
  const loaded = loadConfig({
    path,
    env: process.env,
    needs: SERVICE_NEEDS[name],
  });
  if (!loaded.ok) {
    process.stderr.write(`${loaded.problems.join('\n')}\n`);
    process.exit(2);
  }
  return loaded.config;
};

type Opening = {
  readonly config: Config;
  readonly configPath: string;
  readonly log: Logger;
  readonly shutdown: Shutdown;
};

const open = async (spec: ServiceSpec, opening: Opening): Promise<void> => {
  const { config, configPath, log, shutdown } = opening;
  const signal = shutdown.begun;
  await startTracing({ service: spec.name, log, shutdown });
  const metrics = createMetrics({ service: spec.name, processMetrics: true, ...config.metrics });
  const redis = connectRedis(redisTargetOf(config), 'worker', (err) => {
    log.warn({ err }, 'Redis connection failed');
  });
  shutdown.onShutdown('redis', () => redis.disconnect());
  await waitForRedis(redis, log, signal);
  await assertRedisIsSafe(redis, config.redis);
  const clock = await startSteadyClock(redis);
  useAsProcessClock(clock);
  shutdown.onShutdown('clock', clock.stop);
  const address = healthAddress(config.health, spec.name);
  let notices: readonly string[] = [];
  if (address !== null) {
    const check = createRedisCheck(redis, createKeys(config.redis.prefix).ready);
    const outages = watchOutages({ redis, prefix: config.redis.prefix, metrics, nowMs: clock.nowMs });
    shutdown.onShutdown('outages', outages.stop);
    const health = await startHealthServer({
      ...address,
      registry: metrics.registry,
      check,
      notices: () => [...notices, ...outages.texts()],
    });
    shutdown.onShutdown('health', async () => health.close());
  }
  const answers = createLastAnswers(clock.nowMs);
  const forges =
    spec.forgeToken === null
      ? new Map<string, Forge>()
      : await connectForges(config, spec.forgeToken, { log, metrics, signal, answered: answers.note });
  const service = await spec.start({
    config,
    configPath,
    redis,
    log,
    metrics,
    forges,
    signal,
    answered: answers.note,
    nowMs: clock.nowMs,
  });
  notices = service.notices ?? [];
  beat(spec.name, { config, redis, shutdown, nowMs: clock.nowMs, notices: () => notices, answers: answers.list });
  shutdown.onShutdown(spec.name, async () => service.close(DRAIN_MS));
};

type Beating = Pick<Opening, 'config' | 'shutdown'> & Omit<HeartbeatOptions, 'keys' | 'service'>;

/** Only the operator's page reads heartbeats. */
const beat = (service: string, { config, shutdown, ...options }: Beating): void => {
  if (!config.console.enabled) return;
  const heart = startHeartbeat({ ...options, keys: createKeys(config.redis.prefix), service });
  shutdown.onShutdown('heartbeat', heart.stop);
};

/** Waits without a time limit, because no caller waits for a worker. @throws `RedisRefusedError` */
const waitForRedis = async (redis: Redis, log: Logger, signal: AbortSignal): Promise<void> => {
  for (;;) {
    try {
      await awaitRedis(redis, 10_000, signal);
      return;
    } catch (error) {
      if (signal.aborted || error instanceof RedisRefusedError) throw error;
      log.warn('waiting for Redis');
    }
  }
};
