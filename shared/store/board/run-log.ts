/** The runs of each change request, newest first, so that a page finds their briefs and conversations. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { jsonOrNull } from '../../json-or-null.ts';
import { type ChangeRequest, CommitSha, RunId } from '../../vocabulary/ids.ts';
import type { Keys } from '../keys.ts';

export const LoggedRun = z.object({
  runId: RunId,
  kind: z.enum(['review', 'reply']),
  review: z.number().int().positive(),
  attempt: z.number().int().positive(),
  head: CommitSha,
});
export type LoggedRun = z.output<typeof LoggedRun>;

export type RunLog = {
  /** Contract: idempotent, also if a crash repeats the effect later. */
  add(of: ChangeRequest, run: LoggedRun, atMs: number): Promise<void>;
  list(of: ChangeRequest): Promise<readonly (LoggedRun & { readonly atMs: number })[]>;
};

export const MAX_LOGGED_RUNS = 100;
const KEEP_S = 30 * 24 * 3600;

export const createRunLog = (redis: Redis, keys: Keys): RunLog => {
  const keyOf = (of: ChangeRequest): string => keys.ofChangeRequest(of, 'runs');
  return {
    add: async (of, { runId, kind, review, attempt, head }, atMs) => {
      // The member has the same text in every execution, and its first time is kept.
      const member = JSON.stringify({ runId, kind, review, attempt, head });
      await redis
        .multi()
        .zadd(keyOf(of), 'NX', atMs, member)
        .zremrangebyrank(keyOf(of), 0, -MAX_LOGGED_RUNS - 1)
        .expire(keyOf(of), KEEP_S)
        .exec();
    },
    list: async (of) => {
      const flat = await redis.zrevrange(keyOf(of), 0, -1, 'WITHSCORES');
      const pairs = Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index], flat[2 * index + 1]]);
      return pairs.flatMap(([member = '', score]) => {
        const parsed = LoggedRun.safeParse(jsonOrNull(member));
        return parsed.success ? [{ ...parsed.data, atMs: Number(score) }] : [];
      });
    },
  };
};
