import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ChangeRequest } from '../rounds/vocabulary.ts';
import type { Keys } from './keys.ts';

/** One thing that guard decided, for `fixpoint why`. */
export const DecisionRecord = z.object({
  atMs: z.number().int(),
  command: z.string(),
  reason: z.string(),
  head: z.string().nullable(),
  events: z.array(z.string()),
});
export type DecisionRecord = z.output<typeof DecisionRecord>;

export type Decisions = {
  append(of: ChangeRequest, records: readonly DecisionRecord[]): Promise<void>;
  /** Oldest first. */
  list(of: ChangeRequest): Promise<readonly DecisionRecord[]>;
};

const KEEP_RECORDS = 500;
const KEEP_S = 30 * 24 * 3600;

export const createDecisions = (redis: Redis, keys: Keys): Decisions => ({
  append: async (of, records) => {
    if (records.length === 0) return;
    const key = keys.ofChangeRequest(of, 'decisions');
    await redis
      .multi()
      .rpush(key, ...records.map((record) => JSON.stringify(record)))
      .ltrim(key, -KEEP_RECORDS, -1)
      .expire(key, KEEP_S)
      .exec();
  },
  list: async (of) => {
    const entries = await redis.lrange(keys.ofChangeRequest(of, 'decisions'), 0, -1);
    return entries.map((entry) => DecisionRecord.parse(JSON.parse(entry)));
  },
});
