/**
 * Stops the Redis server that a killed `fixpoint up` left running. Two servers on one folder would damage the
 * append-only file.
 */
import { realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { awaitRedis, connectRedis, RedisRefusedError } from '../../../shared/store/redis.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { readAddress } from '../../../shared/runtime/embedded-redis.ts';
import { HOLDER } from './redis-server.ts';
import { UsageError } from '../terminal/usage-error.ts';

const CONNECT_MS = 2_000;
/** The timeout is long, because the server may still be loading its file. */
const ANSWER_MS = 30_000;
/** Longer than the services of the killed process need to shut down. */
const LEAVE_MS = 12_000;
const LOOK_MS = 100;

/** @throws `USAGE` while the process that started the server is alive */
export const endLeftover = async (folder: string): Promise<void> => {
  const url = readAddress(folder);
  if (url === null || !(await isOpen(new URL(url)))) return;
  const redis = connectRedis(url, 'worker');
  try {
    if (!(await answers(redis, url)) || !(await servesFolder(redis, folder))) return;
    if ((await clientNames(redis)).includes(HOLDER))
      throw new UsageError(`another "fixpoint up" is running with its Redis in ${folder}; stop it first`);
    await untilAlone(redis);
    await end(redis, new URL(url));
  } finally {
    redis.disconnect();
  }
};

const isOpen = async ({ hostname, port }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: CONNECT_MS });
    const answer = (open: boolean) => (): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', answer(true)).once('error', answer(false)).once('timeout', answer(false));
  });

/** False when another server listens at that port and demands a password. @throws `USAGE` when the server does not answer */
const answers = async (redis: Redis, url: string): Promise<boolean> => {
  try {
    await awaitRedis(redis, ANSWER_MS, timeLimit(ANSWER_MS));
    return true;
  } catch (error) {
    if (error instanceof RedisRefusedError) return false;
    throw new UsageError(
      `the server at ${url} does not answer; it may be a Redis that an earlier start left behind: stop it, or set REDIS_URL`,
    );
  }
};

/** After a reboot, another server may use the port. */
const servesFolder = async (redis: Redis, folder: string): Promise<boolean> => {
  const answer = await redis.config('GET', 'dir');
  const [, dir] = Array.isArray(answer) ? answer.map(String) : [];
  return dir !== undefined && dir === (await realpath(folder));
};

const clientNames = async (redis: Redis): Promise<readonly string[]> => {
  const list = String(await redis.client('LIST'));
  return list.split('\n').flatMap((line) => /(?:^| )name=(\S*)/.exec(line)?.slice(1) ?? []);
};

const untilAlone = async (redis: Redis): Promise<void> => {
  const deadline = performance.now() + LEAVE_MS;
  while (performance.now() < deadline && (await clientNames(redis)).length > 1) await delay(LOOK_MS);
};

/** Redis does not answer SHUTDOWN, but closes the connection. */
const end = async (redis: Redis, url: URL): Promise<void> => {
  redis.shutdown('NOSAVE').catch(() => {});
  const deadline = performance.now() + ANSWER_MS;
  while (await isOpen(url)) {
    if (performance.now() >= deadline)
      throw new UsageError(`the Redis at ${url.host}, left behind by an earlier start, does not stop`);
    await delay(LOOK_MS);
  }
};
