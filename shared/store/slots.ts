import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';
import { createScript } from './server/script.ts';

/**
 * At most `limit` reviews of one project run at a time. The others wait, oldest first. A slot that becomes free is offered:
 * whoever is returned must be woken. An offer takes nobody off the waiting list, so an offer that is lost in a crash loses
 * nobody; the others are offered the next slot first. The sweep repairs both sets.
 */
export type Slots = {
  /**
   * Returns true when the change request holds a slot now. Otherwise it waits until a slot is offered to it. It waits since
   * the smallest `sinceMs` of all its calls since its last offer.
   */
  acquire(of: ChangeRequest, limit: number, sinceMs: number): Promise<boolean>;
  /**
   * Frees the slot of the change request, or its place among those that wait. Returns those that the free slots are
   * offered to; empty if no slot is free or nobody waits. A second call offers the free slots to the next ones.
   */
  release(of: ChangeRequest, offer: Offer): Promise<readonly ChangeRequest[]>;
  /** Numbers of the change requests that hold a slot. */
  running(forge: string, projectId: number): Promise<readonly number[]>;
  /** Offers slots that were freed in another way, as `release` does. */
  offerFree(project: Pick<ChangeRequest, 'forge' | 'projectId'>, offer: Offer): Promise<readonly ChangeRequest[]>;
};

export type Offer = {
  readonly limit: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
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

/** Added to the time of an offer: whoever has an offer waits behind everybody who has none. */
const OFFERED_MS = 1e15;

const OFFER = `
local free = tonumber(ARGV[1]) - redis.call('SCARD', KEYS[1])
if free <= 0 then return {} end
local offered = redis.call('ZRANGE', KEYS[2], 0, free - 1)
for _, member in ipairs(offered) do redis.call('ZADD', KEYS[2], ARGV[2], member) end
return offered`;

const offerFree = createScript(OFFER);

const release = createScript(`
redis.call('ZREM', KEYS[2], ARGV[3])
redis.call('SREM', KEYS[1], ARGV[3])
${OFFER}`);

export const createSlots = (redis: Redis, keys: Keys): Slots => {
  const setsOf = (forge: string, projectId: number): [string, string] => [
    keys.ofProject(forge, projectId, 'running'),
    keys.ofProject(forge, projectId, 'waiting'),
  ];
  return {
    acquire: async (of, limit, sinceMs) =>
      Number(await acquire(redis, setsOf(of.forge, of.projectId), [of.number, limit, sinceMs, KEEP_S])) === 1,
    release: async (of, { limit, atMs }) => {
      const members = await release(redis, setsOf(of.forge, of.projectId), [limit, OFFERED_MS + atMs, of.number]);
      return asChangeRequests(of, members);
    },
    running: async (forge, projectId) => {
      const members = await redis.smembers(setsOf(forge, projectId)[0]);
      return members.map(Number);
    },
    offerFree: async (project, { limit, atMs }) => {
      const { forge, projectId } = project;
      return asChangeRequests(project, await offerFree(redis, setsOf(forge, projectId), [limit, OFFERED_MS + atMs]));
    },
  };
};

const asChangeRequests = (
  { forge, projectId }: Pick<ChangeRequest, 'forge' | 'projectId'>,
  members: unknown,
): readonly ChangeRequest[] =>
  z
    .array(z.string())
    .parse(members)
    .map((member) => ({ forge, projectId, number: Number(member) }));
