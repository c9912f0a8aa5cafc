/** The demo's Redis: the configured one, a server of its own, or one inside this process. */
import type { Redis } from 'ioredis';
import { findRedis } from '../../../services/cli/redis/find-redis.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startInnerRedis } from './inner-redis.ts';

export type DemoRedis = {
  readonly url: string;
  readonly connect: () => Redis;
  readonly close: () => Promise<void>;
};

export type RedisWish = {
  /** For the data of a server of its own. */
  readonly folder: string;
  /** Uses one inside this process even when a real one is available. */
  readonly embedded: boolean;
  readonly tell: (line: string) => void;
};

export const openDemoRedis = async ({ folder, embedded, tell }: RedisWish): Promise<DemoRedis> => {
  const found = embedded
    ? null
    : await findRedis({ url: process.env['REDIS_URL'], dataDir: folder }, process.env['PATH'] ?? '');
  if (found === null) tell('No Redis found: using one inside this process. NOT DURABLE, for this demo only.');
  const { url, stop } = found ?? (await startInnerRedis());
  const opened: Redis[] = [];
  return {
    url,
    connect: () => {
      const redis = connectRedis(url, 'worker');
      opened.push(redis);
      return redis;
    },
    close: async () => {
      for (const redis of opened) redis.disconnect();
      await stop();
    },
  };
};
