import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';

export type TestRedis = {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly pid: number;
  /** SIGKILL, like a crash; the data folder stays for `restart`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export type TestRedisOptions = {
  readonly settings?: readonly string[];
  readonly port?: number;
  /** Default: `redis-server`. */
  readonly program?: string;
};

export const freePort = async (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(address.port);
      });
    });
  });

/** A real Redis on a free loopback port, with an append-only file in its own folder. */
export const startRedis = async (options: TestRedisOptions = {}): Promise<TestRedis> => {
  const port = options.port ?? (await freePort());
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fixpoint-redis-'));
  const settings = options.settings ?? ['--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'];
  const url = `redis://127.0.0.1:${port}`;
  const start = async (): Promise<ChildProcess> =>
    launch({ program: options.program ?? 'redis-server', port, dataDir, settings, url });
  let child = await start();
  const kill = async (): Promise<void> => end(child, 'SIGKILL');
  return {
    url,
    port,
    dataDir,
    get pid() {
      return child.pid ?? -1;
    },
    kill,
    restart: async () => {
      child = await start();
    },
    stop: async () => {
      await kill();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

type Launch = Pick<TestRedis, 'port' | 'dataDir' | 'url'> & {
  readonly program: string;
  readonly settings: readonly string[];
};

const launch = async ({ program, port, dataDir, settings, url }: Launch): Promise<ChildProcess> => {
  const child = spawn(program, ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dataDir, ...settings], {
    stdio: 'ignore',
  });
  const redis = connectRedis(url, 'worker');
  await awaitRedis(redis, 10_000, AbortSignal.timeout(10_000));
  redis.disconnect();
  return child;
};

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
};
