/** Lua scripts that are sent as a hash, because Redis keeps every script that it has executed. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * Sends the source only if Redis does not have the script, for example after a restart or a failover. Commands that were
 * sent in the meantime are then executed before it, so a caller that needs an order awaits the script.
 */
export type Script = (redis: Redis, keys: readonly string[], values: readonly (string | number)[]) => Promise<unknown>;

/** https://redis.io/docs/latest/develop/programmability/eval-intro/#evalsha-in-the-context-of-pipelining */
export const isUnknownScript = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT');

export const scriptHash = (source: string): string => createHash('sha1').update(source).digest('hex');

export const createScript = (source: string): Script => {
  const hash = scriptHash(source);
  return async (redis, keys, values) => {
    try {
      return await redis.evalsha(hash, keys.length, ...keys, ...values);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return redis.eval(source, keys.length, ...keys, ...values);
    }
  };
};
