/**
 * Which change requests have work in progress, and which had any activity lately. Guard writes both lists, so that a page
 * never scans all keys. A Redis wipe empties them; each event then adds its change request again.
 */
import type { Redis } from 'ioredis';
import { ChangeRequest, changeRequestKey } from '../../vocabulary/ids.ts';
import type { Keys } from '../keys.ts';
import { createScript } from '../server/script.ts';

export type Activity = {
  /** Contract: idempotent. `isWorking` false removes the change request from the first list only. */
  note(of: ChangeRequest, seen: { readonly isWorking: boolean; readonly atMs: number }): Promise<void>;
  /** Change requests with work in progress, the longest unchanged first, at most `limit`. */
  working(limit: number): Promise<Listing>;
  /** Change requests, the most recently active first. */
  recent(page: { readonly offset: number; readonly limit: number }): Promise<Listing>;
};

export type Listing = { readonly total: number; readonly page: readonly ChangeRequest[] };

/** Older entries are dropped. */
export const MAX_RECENT = 5_000;
/** Far more than an installation works on at a time. */
const MAX_WORKING = 5_000;
/** As long as guard's states are kept. */
const KEEP_S = 30 * 24 * 3600;

/** KEYS: working, recent. ARGV: change request, time, time to live, limits of both lists, and 1 if it is working. */
const noteBoth = createScript(`
if ARGV[6] == '1' then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -ARGV[4] - 1)
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -ARGV[5] - 1)
redis.call('EXPIRE', KEYS[1], ARGV[3])
return redis.call('EXPIRE', KEYS[2], ARGV[3])`);

export const createActivity = (redis: Redis, keys: Keys): Activity => {
  const [working, recent] = [keys.board('working'), keys.board('recent')];
  return {
    note: async (of, { isWorking, atMs }) => {
      const values = [changeRequestKey(of), atMs, KEEP_S, MAX_WORKING, MAX_RECENT, isWorking ? 1 : 0];
      await noteBoth(redis, [working, recent], values);
    },
    working: async (limit) => {
      const members = await redis.zrange(working, '0', String(limit - 1));
      return { total: await redis.zcard(working), page: members.flatMap(parseMember) };
    },
    recent: async ({ offset, limit }) => {
      const members = await redis.zrevrange(recent, offset, offset + limit - 1);
      return { total: await redis.zcard(recent), page: members.flatMap(parseMember) };
    },
  };
};

/** Parses a member that `changeRequestKey` formatted. */
const parseMember = (text: string): readonly ChangeRequest[] => {
  const [forge, projectId, number] = text.split('.');
  const parsed = ChangeRequest.safeParse({ forge, projectId: Number(projectId), number: Number(number) });
  return parsed.success ? [parsed.data] : [];
};
