import { Redis } from 'ioredis';
import { AppError } from '../errors.ts';
import { delayOrAbort, timeLimit } from '../time-limit.ts';

/** Commands fail within milliseconds when Redis is unavailable, for services with a waiting caller. */
const PRODUCER = { enableOfflineQueue: false, maxRetriesPerRequest: 1, connectTimeout: 2_000 };

/** Commands wait for Redis without limit, as the queue library's blocking reads require. */
const WORKER = { enableOfflineQueue: true, maxRetriesPerRequest: null, connectTimeout: 5_000 };

export type RedisRole = 'producer' | 'worker';

/** Reconnects for ever, at least every 2 s, even if the server became a replica. A lost connection never ends the process. */
export const connectRedis = (url: string, role: RedisRole, onError: (error: Error) => void = () => {}): Redis => {
  const redis = new Redis(url, {
    ...(role === 'producer' ? PRODUCER : WORKER),
    // READONLY can be anywhere in the message, because Redis before 7 quotes it inside a script error.
    reconnectOnError: ({ message }: Error) => (/\bREADONLY /.test(message) ? 2 : false),
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 6), 2_000),
  });
  redis.on('error', onError);
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

/** The first word of a Redis error is its code. */
const refusalIn = (error: unknown): string | null =>
  error instanceof Error ? (REFUSALS[error.message.split(' ', 1)[0] ?? ''] ?? null) : null;

/** Redis answers but refuses access, so retrying cannot help. */
export class RedisRefusedError extends AppError {
  constructor(message: string, cause: unknown) {
    super({ code: 'REDIS_REFUSED', message, disposition: { kind: 'fail' }, cause });
  }
}

/** @throws `RedisRefusedError` at once when Redis refuses access, `RedisUnreachableError` after `timeoutMs` or an abort. */
export const awaitRedis = async (redis: Redis, timeoutMs: number, signal: AbortSignal): Promise<void> => {
  const limit = timeLimit(timeoutMs, signal);
  while (!limit.aborted) {
    try {
      await withLimit(redis.ping(), limit);
      return;
    } catch (cause) {
      if (limit.aborted) throw new RedisUnreachableError(cause);
      const refusal = refusalIn(cause);
      if (refusal !== null) throw new RedisRefusedError(refusal, cause);
      await delayOrAbort(100, limit);
    }
  }
  throw new RedisUnreachableError(limit.reason);
};

const withLimit = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new RedisUnreachableError(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
