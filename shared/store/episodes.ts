/**
 * When something began that lasts: in Redis, so that every process that meets it names the same beginning.
 */
import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';

export type Episodes = {
  /**
   * Since when, epoch ms: `nowMs` where no such episode goes on. Contract: atomic; it goes on until `end`, or until
   * nobody has met it for `quietS`.
   */
  meet(name: string, nowMs: number, quietS: number): Promise<number>;
  end(name: string): Promise<void>;
};

/** KEYS: episode. ARGV: now, seconds to keep. */
const MEET = `
redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('GET', KEYS[1])`;

export const createEpisodes = (redis: Redis, keys: Keys): Episodes => ({
  meet: async (name, nowMs, quietS) => Number(await redis.eval(MEET, 1, keys.episode(name), nowMs, quietS)),
  end: async (name) => void (await redis.del(keys.episode(name))),
});
