import { Redis } from 'ioredis';
import { isUntrustedCode } from '../certificate-errors.ts';
import { AppError } from '../errors.ts';
import { gatherWrites } from './server/gather-writes.ts';
import { type Options, redisOptionsOf, type RedisTarget, targetOfUrl } from './server/redis-target.ts';
import { delayOrAbort, timeLimit } from '../time-limit.ts';

/** Commands fail within milliseconds when Redis is unavailable, for services with a waiting caller. */
const PRODUCER = { enableOfflineQueue: false, maxRetriesPerRequest: 1, connectTimeout: 2_000 };

/** Commands wait for Redis without limit, as the queue library's blocking reads require. */
const WORKER = { enableOfflineQueue: true, maxRetriesPerRequest: null, connectTimeout: 5_000 };

export type RedisRole = 'producer' | 'worker';

/**
 * Reconnects for ever, at least every 2 s, even if the server became a replica. A lost connection never ends the process.
 * A URL alone is a server without Sentinels whose certificate Node trusts.
 */
export const connectRedis = (
  target: RedisTarget | string,
  role: RedisRole,
  onError: (error: Error) => void = () => {},
): Redis => {
  const options: Options = {
    ...redisOptionsOf(typeof target === 'string' ? targetOfUrl(target) : target),
    ...(role === 'producer' ? PRODUCER : WORKER),
    // READONLY can be anywhere in the message, because Redis before 7 quotes it inside a script error.
    reconnectOnError: ({ message }: Error): 2 | false => (/\bREADONLY /.test(message) ? 2 : false),
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 6), 2_000),
  };
  const redis = new Redis(options);
  redis.on('error', onError);
  gatherWrites(redis);
  return redis;
};

export class RedisUnreachableError extends AppError {
  constructor(cause: unknown) {
    super({
      code: 'REDIS_UNREACHABLE',
      message: 'Redis does not answer',
      disposition: { kind: 'retry' },
      cause,
    });
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  NOAUTH: 'Redis requires a password, but its URL has none',
  WRONGPASS: 'Redis does not accept the user name or the password in its URL',
  NOPERM: 'the user in the URL of Redis may not run the required commands (ACL)',
};

/** The first word of a Redis error is its code. A refused connection reports it only to the listeners of the connection. */
const refusalIn = (error: unknown): string | null =>
  error instanceof Error ? (REFUSALS[error.message.split(' ', 1)[0] ?? ''] ?? null) : null;

/** Redis answers but refuses access, so retrying cannot help. */
export class RedisRefusedError extends AppError {
  constructor(message: string, cause: unknown) {
    super({ code: 'REDIS_REFUSED', message, disposition: { kind: 'fail' }, cause });
  }
}

const UNTRUSTED = 'the certificate of Redis is not trusted (set redis.ca_file for a private authority)';

/** Sentinels answer, but none of them knows the name; the driver reports this only as text. */
const UNKNOWN_NAME = /invalid reply: null$|No such master with that name$/;
const NO_SUCH_PRIMARY = 'no Sentinel knows a primary with the name that is the host of the URL';

/** What the connection itself reported: the reason why commands get no answer. */
type Reports = { readonly last: () => Error | null; readonly refused: () => RedisRefusedError | null };

const refusalOf = (error: Error): RedisRefusedError | null => {
  if ('code' in error && isUntrustedCode(String(error.code)))
    return new RedisRefusedError(`${UNTRUSTED}: ${String(error.code)}`, error);
  return UNKNOWN_NAME.test(error.message) ? new RedisRefusedError(NO_SUCH_PRIMARY, error) : null;
};

/** Calls `onRefused` at the first report that no retry can help against. */
const listen = (redis: Redis, onRefused: () => void): Reports & { readonly stop: () => void } => {
  let last: Error | null = null;
  let refused: RedisRefusedError | null = null;
  const onError = (error: Error): void => {
    last = error;
    refused ??= refusalOf(error);
    if (refused !== null) onRefused();
  };
  redis.on('error', onError).on('sentinelError', onError);
  return {
    last: () => last,
    refused: () => refused,
    stop: () => void redis.off('error', onError).off('sentinelError', onError),
  };
};

/** @throws `RedisRefusedError` at once when Redis refuses access, `RedisUnreachableError` after `timeoutMs` or an abort. */
export const awaitRedis = async (redis: Redis, timeoutMs: number, signal: AbortSignal): Promise<void> => {
  const hopeless = new AbortController();
  const limit = AbortSignal.any([timeLimit(timeoutMs, signal), hopeless.signal]);
  const reports = listen(redis, () => hopeless.abort());
  try {
    await untilPong(redis, limit, reports);
  } finally {
    reports.stop();
  }
};

const untilPong = async (redis: Redis, limit: AbortSignal, reports: Reports): Promise<void> => {
  while (!limit.aborted) {
    try {
      await withLimit(redis.ping(), limit);
      return;
    } catch (cause) {
      if (limit.aborted) break;
      const refusal = refusalIn(cause);
      if (refusal !== null) throw new RedisRefusedError(refusal, cause);
      await delayOrAbort(100, limit);
    }
  }
  throw reports.refused() ?? new RedisUnreachableError(reports.last() ?? limit.reason);
};

const withLimit = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new RedisUnreachableError(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
