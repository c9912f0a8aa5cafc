/** Stores in Redis when an ongoing problem began, so that every process reports the same start. */
import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';
import { createScript } from './server/script.ts';

export type Episodes = {
  /**
   * Returns when the episode began, in epoch ms; `nowMs` if no episode is ongoing. Contract: atomic. An episode lasts until
   * `end` is called, or until `quietS` seconds pass without a call of `meet`.
   */
  meet(name: string, nowMs: number, quietS: number): Promise<number>;
  end(name: string): Promise<void>;
};

/** KEYS: episode. ARGV: current time, seconds to keep. */
const meet = createScript(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('GET', KEYS[1])`);

export const createEpisodes = (redis: Redis, keys: Keys): Episodes => ({
  meet: async (name, nowMs, quietS) => Number(await meet(redis, [keys.episode(name)], [nowMs, quietS])),
  end: async (name) => void (await redis.del(keys.episode(name))),
});
