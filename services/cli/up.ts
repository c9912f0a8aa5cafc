/** `fixpoint up` starts one child process per service. Each has only its own secrets in its environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Config, findConfigPath } from '../../shared/config/load.ts';
import type { Need } from '../../shared/config/secrets.ts';
import { SERVICE_NEEDS, type ServiceName, secretVariables, servicesOf } from '../../shared/config/service-needs.ts';
import { WITH_PARENT } from '../../shared/runtime/leave-with-parent.ts';
import { type FoundRedis, findRedis } from './redis/find-redis.ts';
import { loadOrThrow } from './terminal/load-or-throw.ts';
import { UsageError } from './terminal/usage-error.ts';

export type UpOptions = { readonly config?: string };

/** Longer than a service needs to shut down, but shorter than the grace period of an orchestrator. */
const LEAVE_MS = 9_500;

export const up = async (options: UpOptions): Promise<number> => {
  const configPath = findConfigPath(options.config, process.env);
  const plain = loadOrThrow({ path: configPath, env: process.env, needs: [] });
  const services = servicesOf(plain);
  const redis = await redisOrThrow(plain);
  const env = { ...process.env, [plain.redis.urlEnv]: redis.url };
  try {
    const needs = [...new Set(services.flatMap((name): readonly Need[] => SERVICE_NEEDS[name]))];
    const config = loadOrThrow({ path: configPath, env, needs });
    return await supervise(
      services.map((name) => ({ name, process: startService(name, { config, configPath, env }) })),
      redis.gone,
    );
  } finally {
    await redis.stop();
  }
};

const redisOrThrow = async ({ redis: { urlEnv }, dataDir }: Config): Promise<FoundRedis> => {
  const found = await findRedis({ url: process.env[urlEnv], dataDir }, process.env['PATH'] ?? '');
  if (found === null) {
    throw new UsageError(
      `${urlEnv} is not set and neither redis-server nor valkey-server is installed.\n` +
        'Install Redis (Debian: apt-get install redis-server) or point the variable at a running Redis.',
    );
  }
  return found;
};

type Start = { readonly config: Config; readonly configPath: string; readonly env: NodeJS.ProcessEnv };

const PLAIN_VARIABLES = ['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];

const startService = (name: ServiceName, { config, configPath, env }: Start): ChildProcess => {
  const variables = [...PLAIN_VARIABLES, ...secretVariables(config, SERVICE_NEEDS[name])];
  const own = Object.fromEntries(variables.flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]]])));
  const main = fileURLToPath(new URL(`../${name}/main.js`, import.meta.url));
  // Nothing is written to the pipe; when it closes, the service knows that this process is gone.
  return spawn(process.execPath, [main, '--config', configPath, WITH_PARENT], {
    env: own,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
};

type Child = { readonly name: ServiceName; readonly process: ChildProcess };

const supervise = async (services: readonly Child[], redisGone: Promise<string> | null): Promise<number> => {
  const children = services.map(({ process: child }) => child);
  let asked = false;
  const stopAll = (signal: NodeJS.Signals): void => {
    for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  };
  const leave = (): void => {
    if (asked) return;
    asked = true;
    stopAll('SIGTERM');
    setTimeout(() => stopAll('SIGKILL'), LEAVE_MS).unref();
  };
  let lost = 0;
  void redisGone?.then((how) => {
    if (asked) return;
    process.stderr.write(`fixpoint: the Redis of "fixpoint up" ${how}; stopping all services\n`);
    lost = 1;
    leave();
  });
  process.on('SIGINT', leave);
  process.on('SIGTERM', leave);
  const codes = await Promise.all(
    services.map(async ({ name, process: child }) => {
      const { code, how } = await exitOf(child);
      const early = !asked;
      if (early) process.stderr.write(`fixpoint: the service ${name} ${how}; stopping all services\n`);
      leave();
      return early ? (code === 0 ? 1 : code) : code;
    }),
  );
  process.off('SIGINT', leave);
  process.off('SIGTERM', leave);
  return codes.find((code) => code !== 0) ?? lost;
};

type Exit = { readonly code: number; readonly how: string };

const exitOf = async (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ code: 1, how: `could not be started (${message})` }));
    child.once('exit', (code, signal) =>
      resolve(
        signal === null
          ? { code: code ?? 0, how: `exited with code ${code ?? 0}; see the end of its log` }
          : { code: 1, how: `was killed by ${signal}` },
      ),
    );
  });
