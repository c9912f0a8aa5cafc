import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';

/** Parts of a plan that were seen on the forge. If a seen part is missing later, a user deleted it, so it is not posted again. */
export type SeenKeys = {
  load(planId: string): Promise<ReadonlySet<string>>;
  add(planId: string, seen: readonly string[]): Promise<void>;
};

const KEEP_S = 7 * 24 * 3600;

export const createSeenKeys = (redis: Redis, keys: Keys): SeenKeys => ({
  load: async (planId) => new Set(await redis.smembers(keys.seen(planId))),
  add: async (planId, seen) => {
    if (seen.length === 0) return;
    await redis
      .multi()
      .sadd(keys.seen(planId), ...seen)
      .expire(keys.seen(planId), KEEP_S)
      .exec();
  },
});
