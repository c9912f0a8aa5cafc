/**
 * `fixpoint up`: starts one child process per service, each with only its own secrets, and restarts a process that
 * dies.
 */
import { setMaxListeners } from 'node:events';
import { type Config, findConfigPath } from '../../shared/config/load.ts';
import type { Environment, Need } from '../../shared/config/secrets.ts';
import { SERVICE_NEEDS, servicesOf } from '../../shared/config/service-needs.ts';
import { type FoundRedis, findRedis } from './redis/find-redis.ts';
import { loadOrThrow } from './terminal/load-or-throw.ts';
import { hasColours } from './terminal/paint.ts';
import { UsageError } from './terminal/usage-error.ts';
import { announcement, untilReady } from './up/announce.ts';
import { CLOCK, type KeepOptions, keepRunning, type Supervised } from './up/keep-running.ts';
import { readableLine } from './up/readable-line.ts';
import { type Start, startService } from './up/start-service.ts';
import { superviseRedis } from './up/supervise-redis.ts';
import { type AddedVariables, readEnvFile } from './variables/with-env-file.ts';

export type UpOptions = { readonly config?: string };

export const up = async (options: UpOptions): Promise<number> => {
  const configPath = findConfigPath(options.config, process.env);
  const file = readEnvFile({ path: configPath, env: process.env, needs: [] });
  const plain = loadOrThrow({ path: configPath, env: file.env, needs: [] });
  for (const line of envFileLines(file)) say(line);
  const redis = superviseRedis(await redisOrThrow(plain, file.env));
  const env = { ...file.env, [plain.redis.urlEnv]: redis.url };
  try {
    const needs = [...new Set(servicesOf(plain).flatMap((name): readonly Need[] => SERVICE_NEEDS[name]))];
    const config = loadOrThrow({ path: configPath, env, needs });
    return await supervise({ config, configPath, env, onLine: lineWriter() }, redis);
  } finally {
    await redis.stop();
  }
};

/** Values are never printed. */
const envFileLines = ({ path, overridden }: AddedVariables): readonly string[] => [
  ...(path === null ? [] : [`variables that the environment does not set are read from ${path}`]),
  ...(overridden.length === 0
    ? []
    : [`the environment and .env differ, and the environment takes precedence: ${overridden.join(', ')}`]),
];

const redisOrThrow = async ({ redis, dataDir }: Config, env: Environment): Promise<FoundRedis> => {
  const { urlEnv, sentinels } = redis;
  if (sentinels.length > 0 && (env[urlEnv] ?? '') === '')
    throw new UsageError(`${urlEnv} is not set, but redis.sentinels is: set redis://:PASSWORD@NAME-OF-THE-PRIMARY`);
  const found = await findRedis({ url: env[urlEnv], dataDir }, env['PATH'] ?? '');
  if (found === null) {
    throw new UsageError(
      `${urlEnv} is not set and neither redis-server nor valkey-server is installed.\n` +
        'Install Redis (Debian: apt-get install redis-server) or point the variable at a running Redis.',
    );
  }
  return found;
};

/** JSON in a pipe, readable on a terminal. */
const lineWriter = (): Start['onLine'] => {
  if (!process.stdout.isTTY) return null;
  const style = { colour: hasColours(process.stdout, process.env) };
  return (line) => void process.stdout.write(`${readableLine(line, style)}\n`);
};

const say = (text: string): void => void process.stderr.write(`fixpoint: ${text}\n`);

const supervise = async (start: Start, redis: ReturnType<typeof superviseRedis>): Promise<number> => {
  const leaving = new AbortController();
  // Each service and each wait adds a listener to this signal, so their number is not limited.
  setMaxListeners(0, leaving.signal);
  const leave = (): void => leaving.abort();
  process.on('SIGINT', leave);
  process.on('SIGTERM', leave);
  const options: KeepOptions = { ...CLOCK, leaving: leaving.signal, say };
  const services = servicesOf(start.config).map(
    (name): Supervised => ({ name: `the service ${name}`, start: async () => startService(name, start) }),
  );
  const children = [...services, ...(redis.supervised === null ? [] : [redis.supervised])];
  void untilReady(start.config, leaving.signal).then((ready) => {
    if (ready) for (const line of announcement(start.config, redis.own)) say(line);
  });
  const codes = await Promise.all(
    children.map(async (child) => {
      const code = await keepRunning(child, options);
      leave();
      return code;
    }),
  );
  process.off('SIGINT', leave);
  process.off('SIGTERM', leave);
  return codes.find((code) => code !== 0) ?? 0;
};
