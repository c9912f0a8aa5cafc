/** Readiness check that writes to Redis: after a failover, the old primary still answers but is a read-only replica. */
import type { Redis } from 'ioredis';
import type { ReadyCheck } from './health.ts';
import { troubleOf } from '../outage/outage.ts';
import { timeLimit } from '../time-limit.ts';

/** Less than the two seconds that a readiness check may take. */
const WAIT_MS = 1_000;
const KEEP_MS = 60_000;

const NO_WRITES = 'Redis accepts no writes';

const wordsFor = (error: unknown): string => {
  const trouble = troubleOf(error);
  if (trouble === null) return 'Redis does not answer';
  return `${NO_WRITES} (${trouble.kind === 'outage' ? trouble.outage.code : trouble.mistake.code})`;
};

/**
 * Writes `key` with an expiry. A connection with an offline queue repeats a refused write until it succeeds. So at most one
 * write is pending, and a check stops waiting for it after `WAIT_MS`.
 */
export const createRedisCheck = (redis: Pick<Redis, 'status' | 'set'>, key: string): ReadyCheck => {
  let writing: Promise<readonly string[]> | null = null;
  const write = async (): Promise<readonly string[]> => {
    try {
      await redis.set(key, '1', 'PX', KEEP_MS);
      return [];
    } catch (error) {
      return [wordsFor(error)];
    } finally {
      writing = null;
    }
  };
  return async (signal) => {
    if (redis.status !== 'ready') return ['Redis is not connected'];
    const limit = timeLimit(WAIT_MS, signal);
    const late = new Promise<readonly string[]>((resolve) => {
      limit.addEventListener('abort', () => resolve([NO_WRITES]), { once: true });
    });
    writing ??= write();
    return Promise.race([writing, late]);
  };
};
