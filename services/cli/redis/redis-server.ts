/**
 * A Redis server on loopback, as a child that does not outlive this process, however this process ends: beside it runs
 * a shell that waits at a pipe whose other end only this process holds.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { Redis } from 'ioredis';
import { awaitRedis, connectRedis } from '../../../shared/store/redis.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { childEnvironment } from '../../../shared/workspace/process/child-environment.ts';
import { addressFile, publishAddress, withdrawAddress } from './own-redis.ts';

export type RedisServer = {
  readonly url: string;
  /** Resolves when the server has ended, with how it did. */
  readonly gone: Promise<string>;
  readonly stop: () => Promise<void>;
};

const START_MS = 15_000;

/**
 * The shell becomes the server, so that its process id is the server's. The waiting part leaves when it reads a line;
 * at the end of the pipe it gives the services ten seconds to hand back what they hold, then ends the server.
 */
const SCRIPT = `
( read -r line <&3 && exit
  for second in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 $$ || exit; done
  rm -f "$0"; kill $$ ) 2>/dev/null &
exec "$@" 3<&-`;

/** By its connection the next start sees that the process that started the server is alive. */
export const HOLDER = 'fixpoint-up';

/** @throws `REDIS_UNREACHABLE` when it does not answer in time; nothing is left running then. */
export const startRedisServer = async (program: string, folder: string): Promise<RedisServer> => {
  const port = await freePort();
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
    await awaitRedis(holder, START_MS, timeLimit(START_MS));
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

const hold = async (holder: Redis): Promise<void> => {
  await holder.client('SETNAME', HOLDER);
  holder.on('ready', () => void holder.client('SETNAME', HOLDER).catch(() => {}));
};

const launch = (command: readonly string[], address: string) => {
  const child = spawn('/bin/sh', ['-c', SCRIPT, address, ...command], {
    // A group of its own: a key press in the terminal must not end it before the services have drained.
    detached: true,
    env: childEnvironment(process.env),
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [, , , pipe] = child.stdio;
  // Without a reader the waiting shell is gone already.
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
  return { gone, kill: () => child.kill('SIGTERM') };
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
