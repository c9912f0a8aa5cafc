import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Keys } from './keys.ts';

/**
 * Whom each part of a plan mentions. Contract: the names that are frozen first are kept, even if the forge names other
 * owners or reviewers at the next attempt. So a comment that was perhaps posted already is written again with the same
 * names.
 */
export type CalledNames = {
  freeze(planId: string, part: string, names: readonly string[]): Promise<readonly string[]>;
  /** Null means that nothing is frozen yet. An empty list means that nobody is mentioned. */
  load(planId: string, part: string): Promise<readonly string[] | null>;
};

/** Names are kept as long as `seen-keys.ts` keeps the seen parts of a plan. */
const KEEP_S = 7 * 24 * 3600;

const Names = z.array(z.string());

export const createCalledNames = (redis: Redis, keys: Keys): CalledNames => {
  const load: CalledNames['load'] = async (planId, part) => {
    const text = await redis.hget(keys.called(planId), part);
    return text === null ? null : Names.parse(JSON.parse(text));
  };
  return {
    load,
    freeze: async (planId, part, names) => {
      const key = keys.called(planId);
      await redis.multi().hsetnx(key, part, JSON.stringify(names)).expire(key, KEEP_S).exec();
      return (await load(planId, part)) ?? names;
    },
  };
};
