import type { Redis } from 'ioredis';
import { AppError } from '../../errors.ts';

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
  /** The version of Redis; for another server, the version of Redis with which it says to be compatible. */
  readonly version: string;
  /** The name and version of a server other than Redis, such as "Valkey 8.0.1". Null for Redis. */
  readonly product: string | null;
  /** Null when the server does not say it, neither in INFO nor in CONFIG GET. */
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
  sentinel:
    'it is a Sentinel, which only names other servers: put its address into redis.sentinels, and the name of the primary into the URL',
  replica: 'it is a read-only replica: use the URL of the primary',
};

type Info = ReadonlyMap<string, string>;

const parseInfo = (text: string): Info =>
  new Map(
    text.split(/\r?\n/).flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );

const REPLICA_ROLES: ReadonlySet<unknown> = new Set(['slave', 'replica']);

/** Valkey 8 writes `server_mode`, unless it imitates Redis. */
const modeOf = (info: Info): RedisFacts['mode'] => {
  const mode = info.get('redis_mode') ?? info.get('server_mode');
  if (mode === 'cluster' || mode === 'sentinel') return mode;
  return REPLICA_ROLES.has(info.get('role')) ? 'replica' : 'standalone';
};

const productOf = (info: Info): string | null => {
  const valkey = info.get('valkey_version');
  return valkey === undefined ? null : `Valkey ${valkey}`;
};

/** Facts that INFO states; managed servers often answer INFO but refuse CONFIG. */
export const factsOfInfo = (text: string): Omit<RedisFacts, 'hasPassword' | 'onLoopback'> => {
  const info = parseInfo(text);
  const aof = info.get('aof_enabled');
  return {
    version: info.get('redis_version') ?? '0',
    product: productOf(info),
    maxmemoryPolicy: info.get('maxmemory_policy') ?? null,
    appendonly: aof === undefined ? null : aof === '1' ? 'yes' : 'no',
    mode: modeOf(info),
  };
};

const isOlder = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < MINIMUM_VERSION[0] || (major === MINIMUM_VERSION[0] && minor < MINIMUM_VERSION[1]);
};

const LOOPBACK = /^(?:127\.|::1$|localhost$)/;

/** Several calls, because a Sentinel of an older release does not accept several sections in one INFO. */
const fetchInfo = async (redis: Redis): Promise<string> => {
  const server = await redis.info('server').catch((cause: unknown) => {
    if (refusesInfo(cause)) throw new RedisUnsafeError([NO_INFO]);
    throw cause;
  });
  const rest = ['replication', 'memory', 'persistence'].map(async (section) => redis.info(section).catch(() => ''));
  return [server, ...(await Promise.all(rest))].join('\n');
};

const refusesInfo = (error: unknown): boolean =>
  error instanceof Error && /^(?:NOPERM|ERR unknown command)/.test(error.message);

const NO_INFO =
  'it does not answer INFO, so nobody can tell whether it loses jobs: allow INFO to the user in its URL (ACL rule +info)';

export const fetchRedisFacts = async (redis: Redis): Promise<RedisFacts> => {
  const facts = factsOfInfo(await fetchInfo(redis));
  const setting = async (name: string): Promise<string | null> => {
    try {
      // CONFIG GET returns [name, value]. Managed services refuse it, which is not treated as a problem.
      const answer = (await redis.config('GET', name)) as readonly string[];
      return answer[1] ?? null;
    } catch {
      return null;
    }
  };
  return {
    ...facts,
    maxmemoryPolicy: facts.maxmemoryPolicy ?? (await setting('maxmemory-policy')),
    appendonly: facts.appendonly ?? (await setting('appendonly')),
    hasPassword: Boolean(redis.options.password),
    onLoopback: isOnLoopback(redis.options),
  };
};

/** With Sentinels, the address of the primary may change, but never to a loopback address that only some machines have. */
const isOnLoopback = ({ host, path, sentinels }: Redis['options']): boolean => {
  if (sentinels !== undefined && sentinels !== null && sentinels.length > 0)
    return sentinels.every((sentinel) => LOOPBACK.test(sentinel.host ?? 'localhost'));
  return path !== undefined && path !== null ? true : LOOPBACK.test(host ?? 'localhost');
};

export const assertRedisIsSafe = async (redis: Redis, overrides: RedisOverrides): Promise<void> => {
  const problems = judgeRedis(await fetchRedisFacts(redis), overrides);
  if (problems.length > 0) throw new RedisUnsafeError(problems);
};
