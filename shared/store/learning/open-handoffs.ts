/** The open change requests of which a person must decide something, as guard last saw them. */
import type { Redis } from 'ioredis';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import type { Keys } from '../keys.ts';

export type OpenHandoffs = {
  /** Called whenever guard has looked at a change request. */
  note(of: ChangeRequest, isOpen: boolean, nowMs: number): Promise<void>;
  look(forge: string, nowMs: number): Promise<OpenHandoffsSeen>;
};

export type OpenHandoffsSeen = {
  readonly count: number;
  /** When the oldest one was first seen, in epoch ms. Null if there is none. */
  readonly sinceMs: number | null;
};

/** A change request that guard has not looked at for this long is forgotten, as its state is. */
const KEEP_S = 30 * 24 * 3600;

export const createOpenHandoffs = (redis: Redis, keys: Keys): OpenHandoffs => ({
  note: async ({ forge, projectId, number }, isOpen, nowMs) => {
    const [seen, since] = [keys.ofForge(forge, 'handoffs'), keys.ofForge(forge, 'handoffs-since')];
    const member = `${projectId}.${number}`;
    if (!isOpen) await redis.multi().zrem(seen, member).zrem(since, member).exec();
    else {
      const noted = redis.multi().zadd(seen, nowMs, member).zadd(since, 'NX', nowMs, member);
      await noted.expire(seen, KEEP_S).expire(since, KEEP_S).exec();
    }
  },
  look: async (forge, nowMs) => {
    const open = await redis.zrangebyscore(keys.ofForge(forge, 'handoffs'), nowMs - KEEP_S * 1000, '+inf');
    if (open.length === 0) return { count: 0, sinceMs: null };
    const since = await redis.zmscore(keys.ofForge(forge, 'handoffs-since'), ...open);
    const known = since.flatMap((score) => (score === null ? [] : [Number(score)]));
    return { count: open.length, sinceMs: known.length === 0 ? null : Math.min(...known) };
  },
});
