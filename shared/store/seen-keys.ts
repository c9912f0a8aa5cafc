import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';
import { createScript } from './server/script.ts';

/** Parts of a plan that were seen on the forge. If a seen part is missing later, a user deleted it, so it is not posted again. */
export type SeenKeys = {
  load(planId: string): Promise<ReadonlySet<string>>;
  add(planId: string, seen: readonly string[]): Promise<void>;
};

const KEEP_S = 7 * 24 * 3600;

/** KEYS: set. ARGV: time to live, members. */
const addAll = createScript(`
redis.call('SADD', KEYS[1], unpack(ARGV, 2))
return redis.call('EXPIRE', KEYS[1], ARGV[1])`);

/** Lua cannot pass more arguments to a command at once. */
const MAX_AT_ONCE = 1_000;

export const createSeenKeys = (redis: Redis, keys: Keys): SeenKeys => ({
  load: async (planId) => new Set(await redis.smembers(keys.seen(planId))),
  add: async (planId, seen) => {
    for (let at = 0; at < seen.length; at += MAX_AT_ONCE)
      await addAll(redis, [keys.seen(planId)], [KEEP_S, ...seen.slice(at, at + MAX_AT_ONCE)]);
  },
});
