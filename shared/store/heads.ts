import type { Redis } from 'ioredis';
import type { StatusPlace } from '../vocabulary/status-place.ts';
import type { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';

/**
 * Which change requests have a commit as head, as far as guard has seen: for events that name the commit alone. Lost with
 * Redis; then the sweep finds what such an event would have told.
 */
export type Heads = {
  /** True: an event about the commit came before anybody was known to have it. */
  add(of: ChangeRequest, head: CommitSha): Promise<boolean>;
  /** Numbers of the change requests. Empty: an `add` within some minutes will be told of it. */
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
      // Added meanwhile, by somebody who looked before the word was left.
      return members(place);
    },
  };
};
