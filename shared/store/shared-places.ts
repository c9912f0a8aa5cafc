import type { Redis } from 'ioredis';
import type { StatusPlace } from '../vocabulary/status-place.ts';
import type { Keys } from './keys.ts';

/** Places whose status several change requests share. A Redis wipe deletes them; the sweep then detects missed updates. */
export type SharedPlaces = { mark(place: StatusPlace): Promise<void>; has(place: StatusPlace): Promise<boolean> };

const KEEP_S = 90 * 24 * 3600;

export const createSharedPlaces = (redis: Redis, keys: Keys): SharedPlaces => ({
  mark: async (place) => void (await redis.set(keys.ofPlace(place, 'shared'), '1', 'EX', KEEP_S)),
  has: async (place) => (await redis.exists(keys.ofPlace(place, 'shared'))) === 1,
});
