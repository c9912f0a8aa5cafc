/**
 * Starts a Redis server on loopback as a child process that never outlives this process, even if this process is
 * killed. A helper shell reads from a pipe whose other end only this process holds.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { awaitRedis, connectRedis } from '../../../shared/store/redis.ts';
import { addressFile } from '../../../shared/runtime/embedded-redis.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { childEnvironment } from '../../../shared/workspace/process/child-environment.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { publishAddress, withdrawAddress } from './own-redis.ts';

export type RedisServer = {
  readonly url: string;
  readonly gone: Promise<string>;
  readonly stop: () => Promise<void>;
};

const START_MS = 15_000;

/**
 * The shell replaces itself with the server, so its process id is the server's. The subshell exits when it reads a
 * line. When the pipe closes, it waits ten seconds, so that the services can return their jobs, and then stops the
 * server.
 */
const SCRIPT = `
( read -r line <&3 && exit
  for second in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 $$ || exit; done
  rm -f "$0"; kill $$ ) >/dev/null 2>&1 &
exec "$@" 3<&-`;

/** Connection name that shows the next start that the process that started the server is alive. */
export const HOLDER = 'fixpoint-up';

/**
 * @throws `USAGE` with the last lines of its log when the server ends at once, for example because its file is damaged;
 * `REDIS_UNREACHABLE` when it does not answer in time. The server is stopped first.
 */
export const startRedisServer = async (program: string, folder: string, samePort?: number): Promise<RedisServer> => {
  const port = samePort ?? (await freePort());
  const url = `redis://127.0.0.1:${port}`;
  const child = launch([program, ...optionsOf(port, folder)], addressFile(folder));
  const holder = connectRedis(url, 'worker');
  const stop = async (): Promise<void> => {
    holder.disconnect();
    await withdrawAddress(folder);
    child.kill();
    await child.gone;
  };
  try {
    await untilStarted(holder, child, folder);
    await hold(holder);
    await publishAddress(folder, url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, gone: child.gone, stop };
};

const optionsOf = (port: number, folder: string): readonly string[] =>
  `--bind 127.0.0.1 --port ${port} --appendonly yes --maxmemory-policy noeviction --dir`.split(' ').concat(folder);

type Child = ReturnType<typeof launch>;

const untilStarted = async (holder: Redis, { gone, lastWords }: Child, folder: string): Promise<void> => {
  const ended = new AbortController();
  const answers = awaitRedis(holder, START_MS, timeLimit(START_MS, ended.signal)).then(() => null);
  const how = await Promise.race([answers, gone]);
  if (how === null) return;
  ended.abort();
  throw new UsageError(
    `the Redis in ${folder} ${how} when it was started\n${(await lastWords()).join('\n')}`.trimEnd(),
  );
};

const hold = async (holder: Redis): Promise<void> => {
  await holder.client('SETNAME', HOLDER);
  holder.on('ready', () => void holder.client('SETNAME', HOLDER).catch(() => {}));
};

const launch = (command: readonly string[], address: string) => {
  const child = spawn('/bin/sh', ['-c', SCRIPT, address, ...command], {
    // The server has its own process group: Ctrl-C in the terminal must not stop it before the services have drained.
    detached: true,
    env: childEnvironment(process.env),
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  const [, , , pipe] = child.stdio;
  // EPIPE means that the helper shell has already exited.
  pipe?.on('error', () => {});
  const gone = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `ended with code ${code}` : `was killed by ${signal}`),
    );
    child.once('error', ({ message }) => resolve(`could not be started (${message})`));
  });
  void gone.then(() => {
    if (pipe !== undefined && pipe !== null && 'end' in pipe) pipe.end('over\n');
  });
  return { gone, lastWords: lastLinesOf(child.stdout), kill: () => child.kill('SIGTERM') };
};

const KEPT_LINES = 3;
/** The rest of the log may still be on its way when the server has ended. */
const REST_MS = 1_000;

/** Reads the log as long as the server runs, so that the server never waits for a reader. */
const lastLinesOf = (log: Readable | null): (() => Promise<readonly string[]>) => {
  const lines: string[] = [];
  if (log === null) return async () => lines;
  const reader = createInterface({ input: log }).on('line', (line) => {
    if (line.trim() !== '') lines.push(line.trim());
    lines.splice(0, lines.length - KEPT_LINES);
  });
  const closed = new Promise<void>((resolve) => reader.once('close', resolve));
  return async () => {
    await Promise.race([closed, delay(REST_MS, undefined, { ref: false })]);
    return lines;
  };
};

const freePort = async (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address === null || typeof address === 'string' ? reject(new Error('no free port')) : resolve(address.port),
      );
    });
  });
