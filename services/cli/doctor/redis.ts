import { type Config } from '../../../shared/config/load.ts';
import { demand } from '../../../shared/config/secrets.ts';
import { fetchRedisFacts, judgeRedis } from '../../../shared/store/redis-safety.ts';
import { awaitRedis, connectRedis, RedisRefusedError, RedisUnreachableError } from '../../../shared/store/redis.ts';
import { type Check, fail, ok, type Seen } from './check.ts';

const REACH_MS = 3_000;
const TIMEOUT_MS = 15_000;

const refused = /NOAUTH|WRONGPASS|NOPERM/;

const lookAtRedis = async (config: Config, signal: AbortSignal): Promise<readonly Seen[]> => {
  const { urlEnv } = config.redis;
  const errors: string[] = [];
  const redis = connectRedis(demand(config.secrets.redisUrl, 'redis'), 'worker', ({ message }) => errors.push(message));
  try {
    await awaitRedis(redis, REACH_MS, signal);
    const facts = await fetchRedisFacts(redis);
    const problems = judgeRedis(facts, config.redis);
    if (problems.length > 0) return problems.map(splitProblem);
    return [ok(`version ${facts.version}, configured safely`)];
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RedisRefusedError) return [fail(error.message, `fix the URL in ${urlEnv}`)];
    if (!(error instanceof RedisUnreachableError)) throw error;
    return refused.test([...errors, String(error.cause)].join())
      ? [fail('Redis does not accept the password', `set the correct password in the URL in ${urlEnv}`)]
      : [fail(`Redis does not answer at the URL in ${urlEnv}`, `start Redis, or set its URL in ${urlEnv}`)];
  } finally {
    redis.disconnect();
  }
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
