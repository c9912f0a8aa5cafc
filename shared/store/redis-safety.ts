import type { Redis } from 'ioredis';
import { AppError } from '../errors.ts';

export type RedisOverrides = {
  readonly allowEviction: boolean;
  readonly allowNoPersistence: boolean;
  readonly allowNoPassword: boolean;
};

/** The oldest Redis that the queue library recommends. Older versions can lose jobs on stalls. */
const MINIMUM_VERSION = [6, 2] as const;

export class RedisUnsafeError extends AppError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super({
      code: 'REDIS_UNSAFE',
      message: `this Redis cannot be used:\n- ${problems.join('\n- ')}`,
      disposition: { kind: 'fail' },
    });
    this.problems = problems;
  }
}

export type RedisFacts = {
  readonly version: string;
  /** Null when the server refuses CONFIG GET. */
  readonly maxmemoryPolicy: string | null;
  readonly appendonly: string | null;
  readonly hasPassword: boolean;
  readonly onLoopback: boolean;
  /** `standalone` is the only supported mode. */
  readonly mode: 'standalone' | 'cluster' | 'sentinel' | 'replica';
};

/** Returns all problems, each with its remedy. Empty when the server is safe or the operator accepts the risks. */
export const judgeRedis = (facts: RedisFacts, overrides: RedisOverrides): readonly string[] => {
  const wrong = WRONG_MODE[facts.mode];
  if (wrong !== null) return [wrong];
  const problems: string[] = [];
  if (isOlder(facts.version))
    problems.push(`version ${facts.version} is below ${MINIMUM_VERSION.join('.')}: upgrade it`);
  if (facts.maxmemoryPolicy !== null && facts.maxmemoryPolicy !== 'noeviction' && !overrides.allowEviction) {
    problems.push(
      `maxmemory-policy is ${facts.maxmemoryPolicy}: set it to noeviction, or redis.allow_eviction = true to accept lost jobs`,
    );
  }
  if (facts.appendonly === 'no' && !overrides.allowNoPersistence) {
    problems.push('appendonly is off: turn it on, or set redis.allow_no_persistence = true to accept lost jobs');
  }
  if (!facts.hasPassword && !facts.onLoopback && !overrides.allowNoPassword) {
    problems.push(
      'it accepts commands without a password from other machines: set one, or redis.allow_no_password = true to accept forged jobs',
    );
  }
  return problems;
};

/** With these modes no other problem is reported, because the queue cannot use the server at all. */
const WRONG_MODE: Readonly<Record<RedisFacts['mode'], string | null>> = {
  standalone: null,
  cluster: 'it is a node of a Redis Cluster, which the queue cannot use: name a Redis that is not part of a cluster',
  sentinel: 'it is a Sentinel, which only names other servers: use the URL of the primary itself',
  replica: 'it is a read-only replica: use the URL of the primary',
};

const modeOf = (info: string): RedisFacts['mode'] => {
  const mode = /redis_mode:(\w+)/.exec(info)?.[1];
  if (mode === 'cluster' || mode === 'sentinel') return mode;
  return /role:slave/.test(info) ? 'replica' : 'standalone';
};

const isOlder = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < MINIMUM_VERSION[0] || (major === MINIMUM_VERSION[0] && minor < MINIMUM_VERSION[1]);
};

const LOOPBACK = /^(?:127\.|::1$|localhost$)/;

export const fetchRedisFacts = async (redis: Redis): Promise<RedisFacts> => {
  // Two calls, because a Sentinel of an older release does not accept several sections in one INFO.
  const info = `${await redis.info('server')}\n${await redis.info('replication').catch(() => '')}`;
  const setting = async (name: string): Promise<string | null> => {
    try {
      // CONFIG GET returns [name, value]. Managed services refuse it, which is not treated as a problem.
      const answer = (await redis.config('GET', name)) as readonly string[];
      return answer[1] ?? null;
    } catch {
      return null;
    }
  };
  const { host, path, password } = redis.options;
  return {
    version: /redis_version:(\S+)/.exec(info)?.[1] ?? '0',
    maxmemoryPolicy: await setting('maxmemory-policy'),
    appendonly: await setting('appendonly'),
    mode: modeOf(info),
    hasPassword: Boolean(password),
    onLoopback: path !== undefined && path !== null ? true : LOOPBACK.test(host ?? 'localhost'),
  };
};

export const assertRedisIsSafe = async (redis: Redis, overrides: RedisOverrides): Promise<void> => {
  const problems = judgeRedis(await fetchRedisFacts(redis), overrides);
  if (problems.length > 0) throw new RedisUnsafeError(problems);
};
