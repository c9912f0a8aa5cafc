/** Marks the change requests whose reactions are already in the metrics. */
import type { Redis } from 'ioredis';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import type { Keys } from '../keys.ts';

export type CountedReactions = {
  has(of: ChangeRequest): Promise<boolean>;
  /** Contract: atomic. True only for the first call per change request, for as long as the mark is kept. */
  mark(of: ChangeRequest): Promise<boolean>;
};

const KEEP_S = 400 * 24 * 3600;

export const createCountedReactions = (redis: Redis, keys: Keys): CountedReactions => ({
  has: async (of) => (await redis.exists(keys.ofChangeRequest(of, 'reactions'))) === 1,
  mark: async (of) => (await redis.set(keys.ofChangeRequest(of, 'reactions'), '1', 'EX', KEEP_S, 'NX')) === 'OK',
});
