/**
 * How many processes died while guard worked on a change request, and which change requests are set aside because of that.
 * Guard has one short job for each event, so the deaths are counted for the change request and not for the job.
 */
import type { Redis } from 'ioredis';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Keys } from '../store/keys.ts';
import { createScript } from '../store/server/script.ts';

/** `atMs`: when the change request was set aside. `told`: the head whose status says so; null if there is none. */
export type Aside = { readonly atMs: number; readonly told: string | null };

/**
 * - `begun`: the work may begin, and is counted until `end`.
 * - `suspect`: a process died during this work. It may only begin while no other suspect is at work, because every process
 *   that dies takes the work of others with it. Not counted.
 * - `deadly`: as many processes died as are allowed. Not counted.
 * - `aside`: the change request is set aside. What guard does about that is counted until `end`, too.
 * - `silent`: it is set aside, and even that took down processes. Not counted.
 */
export type Beginning =
  | { readonly kind: 'begun' | 'suspect' | 'silent' }
  | { readonly kind: 'deadly'; readonly deaths: number }
  | { readonly kind: 'aside'; readonly aside: Aside };

export type DeathWatch = {
  /** Contract: called under the lease of the change request. `isAlone`: no other suspect is at work. */
  begin(of: ChangeRequest, isAlone: boolean): Promise<Beginning>;
  /** Contract: called also when the work failed, because the process lives. */
  end(of: ChangeRequest): Promise<void>;
  /** False if it is set aside already. */
  setAside(of: ChangeRequest, atMs: number): Promise<boolean>;
  noteTold(of: ChangeRequest, head: string): Promise<void>;
};

/** As long as a failed job is kept, with which an operator can begin again. After that, guard tries it again. */
const KEEP_S = 7 * 24 * 3600;

/** ARGV: the deaths that are allowed, 1 if no other suspect is at work, the time to live. */
const begin = createScript(`
local deaths = tonumber(redis.call('HGET', KEYS[1], 'begun') or '0')
local at = redis.call('HGET', KEYS[1], 'aside')
if deaths >= tonumber(ARGV[1]) then return { at and 'silent' or 'deadly', deaths } end
if deaths >= 1 and ARGV[2] == '0' then return { 'suspect' } end
redis.call('HINCRBY', KEYS[1], 'begun', 1)
if at then return { 'aside', at, redis.call('HGET', KEYS[1], 'told') or '' } end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return { 'begun' }`);

/** ARGV: the time, the time to live. */
const setAside = createScript(`
if redis.call('HSETNX', KEYS[1], 'aside', ARGV[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'begun')
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1`);

/** Does not bring back what an operator has ended in the meantime. */
const noteTold = createScript(`
if redis.call('HEXISTS', KEYS[1], 'aside') == 0 then return 0 end
return redis.call('HSET', KEYS[1], 'told', ARGV[1])`);

const keyOf = (keys: Keys, of: ChangeRequest): string => keys.ofChangeRequest(of, 'deaths');

export const createDeathWatch = (redis: Redis, keys: Keys, maxDeaths: number): DeathWatch => ({
  begin: async (of, isAlone) => {
    const answer = await begin(redis, [keyOf(keys, of)], [maxDeaths, isAlone ? 1 : 0, KEEP_S]);
    return beginningOf((Array.isArray(answer) ? answer : []).map(String));
  },
  end: async (of) => void (await redis.hdel(keyOf(keys, of), 'begun')),
  setAside: async (of, atMs) => Number(await setAside(redis, [keyOf(keys, of)], [atMs, KEEP_S])) === 1,
  noteTold: async (of, head) => void (await noteTold(redis, [keyOf(keys, of)], [head])),
});

const beginningOf = ([kind = 'begun', first = '0', second = '']: readonly string[]): Beginning => {
  switch (kind) {
    case 'suspect':
    case 'silent':
      return { kind };
    case 'deadly':
      return { kind, deaths: Number(first) };
    case 'aside':
      return { kind, aside: { atMs: Number(first), told: second === '' ? null : second } };
    default:
      return { kind: 'begun' };
  }
};

/** The change request is handled again, as if no process had died. */
export const forgetDeathsOf = async (redis: Redis, keys: Keys, of: ChangeRequest): Promise<void> =>
  void (await redis.del(keyOf(keys, of)));
