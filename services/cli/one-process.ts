/** Runs all services in one process, for the demo and story tests. Each service gets only the secrets that it needs. */
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { localUrl } from '../../shared/config/listen.ts';
import { type Config, loadConfig } from '../../shared/config/load.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import type { Environment } from '../../shared/config/secrets.ts';
import { SERVICE_NEEDS, type ServiceName, servicesOf } from '../../shared/config/service-needs.ts';
import { connectForges, type TokenPurpose } from '../../shared/runtime/connect-forges.ts';
import { AppError } from '../../shared/errors.ts';
import type { Forge } from '../../shared/forge/port.ts';
import { createLogger, type LoggerOptions } from '../../shared/logger.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import type { RunningService } from '../../shared/runtime/run-service.ts';
import { startSteadyClock } from '../../shared/store/steady-clock.ts';
import { startAuthor } from '../author/start.ts';
import { startExplorer } from '../explorer/start.ts';
import { startGuard } from '../guard/start.ts';
import { startIngress } from '../ingress/start.ts';
import { startPoster } from '../poster/start.ts';
import { startReviewer } from '../reviewer/start.ts';

export type OneProcessOptions = {
  /** Text of a `fixpoint.toml`; paths in it are relative to `folder`. */
  readonly settings: string;
  readonly folder: string;
  readonly env: Environment;
  /** Contract: returns a new connection for each call; all connections see the same data. */
  readonly connectRedis: () => Redis;
  readonly logTo: LoggerOptions['to'];
  readonly logLevel: LoggerOptions['level'];
  /** Called with the metrics of each service. */
  readonly onMetrics?: (registry: Registry) => void;
  /** How long running jobs may take to end on closing. */
  readonly drainMs?: number;
  /** Workers that run in a process of their own. Default: none. */
  readonly without?: readonly Worker['name'][];
};

export type OneProcess = {
  readonly ingressUrl: string;
  readonly close: () => Promise<void>;
};

export type Workers = { readonly close: () => Promise<void> };

type Worker = {
  readonly name: Exclude<ServiceName, 'ingress' | 'console'>;
  readonly token: TokenPurpose | null;
  readonly start: (context: ServiceContext) => Promise<RunningService>;
};

const WORKERS: readonly Worker[] = [
  { name: 'guard', token: 'read_token', start: async (context) => startGuard(context) },
  { name: 'reviewer', token: null, start: async (context) => startReviewer(context) },
  { name: 'explorer', token: null, start: async (context) => startExplorer(context) },
  { name: 'poster', token: 'post_token', start: startPoster },
  { name: 'author', token: 'read_token', start: startAuthor },
];

const DRAIN_MS = 3_000;

export class SettingsRefusedError extends AppError {
  constructor(problems: readonly string[]) {
    super({
      code: 'SETTINGS_REFUSED',
      message: `the settings are invalid:\n${problems.join('\n')}`,
      disposition: { kind: 'fail' },
    });
  }
}

/** @public The demo starts it. @throws `SETTINGS_REFUSED`, or what a service throws at its start, after closing everything. */
export const startOneProcess = async (options: OneProcessOptions): Promise<OneProcess> => {
  const leaving = new AbortController();
  const workers = await startAll(WORKERS, configFor('ingress', options), { options, leaving });
  try {
    const ingress = await startIngressService(options, leaving.signal);
    const close = async (): Promise<void> => {
      leaving.abort();
      await ingress.close();
      await workers.close();
    };
    return { ingressUrl: localUrl(ingress.address), close };
  } catch (error) {
    await workers.close();
    throw error;
  }
};

/**
 * Starts the workers for one piece of work, without ingress and without guard's sweep for more work. If an installation
 * uses the same Redis, they become additional workers of that installation.
 */
export const startWorkers = async (options: OneProcessOptions): Promise<Workers> => {
  const once = WORKERS.map(
    (worker): Worker =>
      worker.name === 'guard' ? { ...worker, start: async (context) => startGuard(context, ONCE) } : worker,
  );
  return startAll(once, configFor('guard', options), { options, leaving: new AbortController() });
};

const ONCE = { schedules: false } as const;

type Starting = { readonly options: OneProcessOptions; readonly leaving: AbortController };

const startAll = async (
  workers: readonly Worker[],
  config: Config,
  { options, leaving }: Starting,
): Promise<Workers> => {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    leaving.abort();
    await Promise.all(closers.map(async (closer) => closer()));
  };
  try {
    const wanted = servicesOf(config);
    const isHere = ({ name }: Worker): boolean => wanted.includes(name) && options.without?.includes(name) !== true;
    for (const worker of workers.filter(isHere))
      closers.push(await startWorkerService(worker, options, leaving.signal));
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
};

const configFor = (name: ServiceName, { settings, folder, env }: OneProcessOptions): Config => {
  // The embedded Redis has no address to configure.
  const needs = SERVICE_NEEDS[name].filter((need) => need !== 'redis');
  const loaded = loadConfig({ text: settings, folder, env, needs });
  if (!loaded.ok) throw new SettingsRefusedError(loaded.problems);
  return loaded.config;
};

type Context = ServiceContext & { readonly stopClock: () => void };

const contextFor = async (worker: Worker, options: OneProcessOptions, signal: AbortSignal): Promise<Context> => {
  const config = configFor(worker.name, options);
  const log = createLogger({
    service: worker.name,
    level: options.logLevel,
    to: options.logTo,
    secrets: secretValues(config.secrets),
  });
  const metrics = createMetrics({ service: worker.name, processMetrics: false, ...config.metrics });
  options.onMetrics?.(metrics.registry);
  const forges =
    worker.token === null
      ? new Map<string, Forge>()
      : await connectForges(config, worker.token, { log, metrics, signal });
  const redis = options.connectRedis();
  const clock = await startSteadyClock(redis);
  return { config, log, metrics, forges, signal, redis, nowMs: clock.nowMs, stopClock: clock.stop };
};

const startWorkerService = async (
  worker: Worker,
  options: OneProcessOptions,
  signal: AbortSignal,
): Promise<() => Promise<void>> => {
  const context = await contextFor(worker, options, signal);
  const service = await worker.start(context);
  return async () => {
    await service.close(options.drainMs ?? DRAIN_MS);
    context.stopClock();
    context.redis.disconnect();
  };
};

const startIngressService = async (options: OneProcessOptions, signal: AbortSignal) => {
  const config = configFor('ingress', options);
  const log = createLogger({
    service: 'ingress',
    level: options.logLevel,
    to: options.logTo,
    secrets: secretValues(config.secrets),
  });
  const metrics = createMetrics({ service: 'ingress', processMetrics: false, ...config.metrics });
  options.onMetrics?.(metrics.registry);
  return startIngress(config, { log, metrics, signal, redis: options.connectRedis() });
};
