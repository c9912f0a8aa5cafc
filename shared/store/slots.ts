import type { Redis } from 'ioredis';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';
import { createScript } from './server/script.ts';

/** At most `limit` reviews of one project run at a time. The others wait, oldest first. The sweep repairs both sets. */
export type Slots = {
  /**
   * Returns true when the change request holds a slot now. Otherwise it waits until `release` returns it. It waits since
   * the smallest `sinceMs` of all its calls.
   */
  acquire(of: ChangeRequest, limit: number, sinceMs: number): Promise<boolean>;
  /** Frees the slot. Removes and returns the change request that has waited longest, or null when none is waiting. */
  release(of: ChangeRequest): Promise<ChangeRequest | null>;
  /** Numbers of the change requests that hold a slot. */
  running(forge: string, projectId: number): Promise<readonly number[]>;
  /** Removes and returns a waiting change request, for a slot that was freed in another way. */
  nextWaiting(forge: string, projectId: number, limit: number): Promise<ChangeRequest | null>;
};

/** How long a set is kept after its last change. The sweep restores an expired set from guard's states. */
const KEEP_S = 30 * 24 * 3600;

const acquire = createScript(`
local function keep()
  redis.call('EXPIRE', KEYS[1], ARGV[4])
  redis.call('EXPIRE', KEYS[2], ARGV[4])
end
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then redis.call('ZREM', KEYS[2], ARGV[1]) keep() return 1 end
if redis.call('SCARD', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('SADD', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  keep()
  return 1
end
redis.call('ZADD', KEYS[2], 'LT', ARGV[3], ARGV[1])
keep()
return 0`);

const release = createScript(`
redis.call('ZREM', KEYS[2], ARGV[1])
if redis.call('SREM', KEYS[1], ARGV[1]) == 0 then return '' end
local next = redis.call('ZPOPMIN', KEYS[2])
return next[1] or ''`);

const nextOf = createScript(`
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[1]) then return '' end
local next = redis.call('ZPOPMIN', KEYS[2])
return next[1] or ''`);

export const createSlots = (redis: Redis, keys: Keys): Slots => {
  const setsOf = (forge: string, projectId: number): [string, string] => [
    keys.ofProject(forge, projectId, 'running'),
    keys.ofProject(forge, projectId, 'waiting'),
  ];
  return {
    acquire: async (of, limit, sinceMs) =>
      Number(await acquire(redis, setsOf(of.forge, of.projectId), [of.number, limit, sinceMs, KEEP_S])) === 1,
    release: async (of) => {
      const next = await release(redis, setsOf(of.forge, of.projectId), [of.number]);
      return asChangeRequest(of.forge, of.projectId, next);
    },
    running: async (forge, projectId) => {
      const members = await redis.smembers(setsOf(forge, projectId)[0]);
      return members.map(Number);
    },
    nextWaiting: async (forge, projectId, limit) => {
      const next = await nextOf(redis, setsOf(forge, projectId), [limit]);
      return asChangeRequest(forge, projectId, next);
    },
  };
};

const asChangeRequest = (forge: string, projectId: number, member: unknown): ChangeRequest | null =>
  typeof member === 'string' && member !== '' ? { forge, projectId, number: Number(member) } : null;
