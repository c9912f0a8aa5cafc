/** The open change requests of which a person must decide something, as guard last saw them. */
import type { Redis } from 'ioredis';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import type { Keys } from '../keys.ts';
import { createScript } from '../server/script.ts';

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

/** KEYS: when each was last seen, when each was first seen. ARGV: member, and only if it is open: time, time to live. */
const noteOne = createScript(`
if not ARGV[2] then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return redis.call('ZREM', KEYS[2], ARGV[1])
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return redis.call('EXPIRE', KEYS[2], ARGV[3])`);

export const createOpenHandoffs = (redis: Redis, keys: Keys): OpenHandoffs => ({
  note: async ({ forge, projectId, number }, isOpen, nowMs) => {
    const sets = [keys.ofForge(forge, 'handoffs'), keys.ofForge(forge, 'handoffs-since')];
    await noteOne(redis, sets, [`${projectId}.${number}`, ...(isOpen ? [nowMs, KEEP_S] : [])]);
  },
  look: async (forge, nowMs) => {
    const open = await redis.zrangebyscore(keys.ofForge(forge, 'handoffs'), nowMs - KEEP_S * 1000, '+inf');
    if (open.length === 0) return { count: 0, sinceMs: null };
    const since = await redis.zmscore(keys.ofForge(forge, 'handoffs-since'), ...open);
    const known = since.flatMap((score) => (score === null ? [] : [Number(score)]));
    return { count: open.length, sinceMs: known.length === 0 ? null : Math.min(...known) };
  },
});
