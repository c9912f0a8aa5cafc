/**
 * Which change requests have work in progress, and which had any activity lately. Guard writes both lists, so that a page
 * never scans all keys. A Redis wipe empties them; each event then adds its change request again.
 */
import type { Redis } from 'ioredis';
import { ChangeRequest, changeRequestKey } from '../../vocabulary/ids.ts';
import type { Keys } from '../keys.ts';

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

export const createActivity = (redis: Redis, keys: Keys): Activity => {
  const [working, recent] = [keys.board('working'), keys.board('recent')];
  return {
    note: async (of, { isWorking, atMs }) => {
      const member = changeRequestKey(of);
      const pipeline = redis.multi();
      if (isWorking) pipeline.zadd(working, atMs, member).zremrangebyrank(working, 0, -MAX_WORKING - 1);
      else pipeline.zrem(working, member);
      await pipeline
        .zadd(recent, atMs, member)
        .zremrangebyrank(recent, 0, -MAX_RECENT - 1)
        .expire(working, KEEP_S)
        .expire(recent, KEEP_S)
        .exec();
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
