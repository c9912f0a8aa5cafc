import type { Redis } from 'ioredis';
import type { StatusPlace } from '../vocabulary/status-place.ts';
import type { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';

/** Finds the change requests whose head is a given commit. A Redis wipe deletes this data; the sweep then finds missed events. */
export type Heads = {
  /** Returns true when an event for the commit arrived before any change request was known to have it as head. */
  add(of: ChangeRequest, head: CommitSha): Promise<boolean>;
  /** Numbers of the change requests. If there are none, an `add` within `MISSED_S` returns true. */
  find(place: StatusPlace): Promise<readonly number[]>;
};

const KEEP_S = 90 * 24 * 3600;
const MISSED_S = 600;

export const createHeads = (redis: Redis, keys: Keys): Heads => {
  const members = async (place: StatusPlace): Promise<readonly number[]> =>
    (await redis.smembers(keys.ofPlace(place, 'readers'))).map(Number).toSorted((one, other) => one - other);
  return {
    add: async ({ forge, projectId, number }, head) => {
      const place = { forge, projectId, head };
      const readers = keys.ofPlace(place, 'readers');
      await redis.multi().sadd(readers, number).expire(readers, KEEP_S).exec();
      return (await redis.exists(keys.ofPlace(place, 'missed'))) === 1;
    },
    find: async (place) => {
      const known = await members(place);
      if (known.length > 0) return known;
      await redis.set(keys.ofPlace(place, 'missed'), '1', 'EX', MISSED_S);
      // Reads again, because an `add` may have run between the two commands above.
      return members(place);
    },
  };
};
