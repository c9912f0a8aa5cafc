import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';
import { type Config } from '../../../shared/config/load.ts';
import {
  fetchRedisFacts,
  judgeRedis,
  type RedisFacts,
  RedisUnsafeError,
} from '../../../shared/store/server/redis-safety.ts';
import { redisTargetOf } from '../../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis, RedisRefusedError, RedisUnreachableError } from '../../../shared/store/redis.ts';
import { type Check, fail, ok, type Seen } from './check.ts';

const REACH_MS = 3_000;
const TIMEOUT_MS = 15_000;

const refused = /NOAUTH|WRONGPASS|NOPERM/;

const lookAtRedis = async (config: Config, signal: AbortSignal): Promise<readonly Seen[]> => {
  const { urlEnv } = config.redis;
  const errors: string[] = [];
  const redis = connectRedis(redisTargetOf(config), 'worker', ({ message }) => errors.push(message));
  try {
    await awaitRedis(redis, REACH_MS, signal);
    const facts = await fetchRedisFacts(redis);
    const problems = judgeRedis(facts, config.redis);
    return problems.length > 0 ? problems.map(splitProblem) : [ok(wordsFor(facts, redis))];
  } catch (error) {
    signal.throwIfAborted();
    return [failureOf(error, { urlEnv, errors })];
  } finally {
    redis.disconnect();
  }
};

const wordsFor = ({ version, product }: RedisFacts, redis: Redis): string => {
  const { remoteAddress, remotePort } = redis.stream as Partial<Socket>;
  const primary = isBehindSentinels(redis) ? `; the Sentinels name ${remoteAddress}:${remotePort} as the primary` : '';
  return `${product ?? `version ${version}`}, configured safely${primary}`;
};

const isBehindSentinels = ({ options }: Redis): boolean => (options.sentinels ?? []).length > 0;

type Attempt = { readonly urlEnv: string; readonly errors: readonly string[] };

const failureOf = (error: unknown, { urlEnv, errors }: Attempt): Seen => {
  if (error instanceof RedisRefusedError) return fail(error.message, `fix the URL in ${urlEnv} or the table [redis]`);
  if (error instanceof RedisUnsafeError) return splitProblem(error.problems[0] ?? error.message);
  if (!(error instanceof RedisUnreachableError)) throw error;
  if (refused.test([...errors, String(error.cause)].join()))
    return fail('Redis does not accept the password', `set the correct password in the URL in ${urlEnv}`);
  const reason = errors.at(-1);
  const why = reason === undefined ? '' : ` (${reason})`;
  return fail(`Redis does not answer at the URL in ${urlEnv}${why}`, `start Redis, or set its URL in ${urlEnv}`);
};

const splitProblem = (problem: string): Seen => {
  const at = problem.indexOf(': ');
  return fail(problem.slice(0, at), problem.slice(at + 2));
};

export const redisCheck = (config: Config): Check => ({
  name: 'redis',
  timeoutMs: TIMEOUT_MS,
  fix: `check that the Redis at the URL in ${config.redis.urlEnv} is not overloaded`,
  look: async (signal) => lookAtRedis(config, signal),
});
