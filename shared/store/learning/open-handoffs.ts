/** The open change requests of which a person must decide something, as guard last saw them. */
import type { Redis } from 'ioredis';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import type { Keys } from '../keys.ts';

export type OpenHandoffs = {
  /** Called whenever guard has looked at a change request. */
  note(of: ChangeRequest, isOpen: boolean, nowMs: number): Promise<void>;
  count(forge: string, nowMs: number): Promise<number>;
};

/** A change request that guard has not looked at for this long is forgotten, as its state is. */
const KEEP_S = 30 * 24 * 3600;

export const createOpenHandoffs = (redis: Redis, keys: Keys): OpenHandoffs => ({
  note: async ({ forge, projectId, number }, isOpen, nowMs) => {
    const key = keys.ofForge(forge, 'handoffs');
    const member = `${projectId}.${number}`;
    if (isOpen) await redis.multi().zadd(key, nowMs, member).expire(key, KEEP_S).exec();
    else await redis.zrem(key, member);
  },
  count: async (forge, nowMs) => redis.zcount(keys.ofForge(forge, 'handoffs'), nowMs - KEEP_S * 1000, '+inf'),
});
