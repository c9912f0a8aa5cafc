/** A primary, a replica and three Sentinels on loopback, all with passwords; a failover takes two to five seconds. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisTarget } from '../../shared/store/server/redis-target.ts';
import { freePort } from './redis.ts';

export const PRIMARY_NAME = 'Shop-Redis';

export type SentinelRedis = {
  /** The name of the primary as host, with the password. */
  readonly url: string;
  readonly sentinels: readonly string[];
  readonly sentinelPassword: string;
  readonly target: () => RedisTarget;
  /** SIGKILL for the present primary. Resolves with its port when the Sentinels name another one. */
  failOver(): Promise<number>;
  /** Starts a killed server again with its data. Resolves when the Sentinels have made it a replica. */
  comeBack(port: number): Promise<void>;
  primaryPort(): Promise<number>;
  stop(): Promise<void>;
};

const LIMIT_MS = 60_000;

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  const end = Date.now() + LIMIT_MS;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > end) throw new Error(`still not: ${what}`);
    await pause(100);
  }
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
};

const ask = async <Answer>(
  port: number,
  password: string,
  question: (redis: Redis) => Promise<Answer>,
): Promise<Answer> => {
  const redis = new Redis({ port, password, lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return await question(redis);
  } finally {
    redis.disconnect();
  }
};

const serverConf = (port: number, dir: string, password: string, primary: number | null): string =>
  [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `dbfilename ${port}.rdb`,
    `appenddirname aof-${port}`,
    'appendonly yes',
    'save ""',
    'repl-diskless-sync-delay 0',
    `requirepass ${password}`,
    `masterauth ${password}`,
    ...(primary === null ? [] : [`replicaof 127.0.0.1 ${primary}`]),
  ].join('\n');

const sentinelConf = (port: number, dir: string, passwords: { own: string; data: string }, primary: number): string =>
  [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `requirepass ${passwords.own}`,
    `sentinel sentinel-pass ${passwords.own}`,
    `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary} 2`,
    `sentinel auth-pass ${PRIMARY_NAME} ${passwords.data}`,
    `sentinel down-after-milliseconds ${PRIMARY_NAME} 1000`,
    `sentinel failover-timeout ${PRIMARY_NAME} 5000`,
  ].join('\n');

export const startSentinels = async (): Promise<SentinelRedis> => {
  const dir = await mkdtemp(path.join(tmpdir(), 'fixpoint-sentinels-'));
  const passwords = { own: randomBytes(12).toString('hex'), data: randomBytes(12).toString('hex') };
  const children = new Map<number, ChildProcess>();
  const launch = async (port: number, conf: string | null, more: readonly string[] = []): Promise<void> => {
    const file = path.join(dir, `${port}.conf`);
    if (conf !== null) await writeFile(file, `${conf}\n`);
    children.set(port, spawn('redis-server', [file, ...more], { stdio: 'ignore' }));
    const password = more.length === 0 ? passwords.data : passwords.own;
    await until(
      `a server on ${port}`,
      async () => (await ask(port, password, async (redis) => redis.ping())) === 'PONG',
    );
  };
  const first = await freePort();
  const second = await freePort();
  const sentinels = [await freePort(), await freePort(), await freePort()];
  const [watch = 0] = sentinels;
  await launch(first, serverConf(first, dir, passwords.data, null));
  await launch(second, serverConf(second, dir, passwords.data, first));
  for (const port of sentinels) await launch(port, sentinelConf(port, dir, passwords, first), ['--sentinel']);
  const primaryPort = async (): Promise<number> =>
    ask(watch, passwords.own, async (redis) =>
      Number(((await redis.call('SENTINEL', 'get-master-addr-by-name', PRIMARY_NAME)) as readonly string[])[1]),
    );
  const seen = async (what: string): Promise<string> =>
    ask(watch, passwords.own, async (redis) => JSON.stringify(await redis.call('SENTINEL', what, PRIMARY_NAME)));
  await until('Sentinels that know each other and the replica', async () => {
    const others = JSON.parse(await seen('sentinels')) as readonly unknown[];
    const replicas = await seen('replicas');
    return others.length === 2 && replicas.includes(`:${second}`) && replicas.includes('"master-link-status","ok"');
  });
  const url = `redis://:${passwords.data}@${PRIMARY_NAME}`;
  return {
    url,
    target: () => ({
      url,
      ca: null,
      sentinels: sentinels.map((port) => ({ host: '127.0.0.1', port })),
      sentinelPassword: passwords.own,
    }),
    sentinels: sentinels.map((port) => `127.0.0.1:${port}`),
    sentinelPassword: passwords.own,
    primaryPort,
    failOver: async () => {
      const old = await primaryPort();
      const child = children.get(old);
      if (child !== undefined) await end(child);
      await until('another primary', async () => (await primaryPort()) !== old);
      return old;
    },
    comeBack: async (port) => {
      await launch(port, null);
      await until('a replica', async () =>
        (await ask(port, passwords.data, async (redis) => redis.info('replication'))).includes('role:slave'),
      );
    },
    stop: async () => {
      for (const child of children.values()) await end(child);
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};
