import type { Redis } from 'ioredis';
import { AppError } from '../errors.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import { createScript } from './server/script.ts';
import { withAbort } from '../with-abort.ts';

/**
 * A lock with a lease and a fencing number, which increases with every lease for the key. A write under the lease is
 * refused after the lease has expired or another lease was granted. So a worker that was suspended cannot do harm.
 */
export type Lease = {
  readonly key: string;
  /** The value of the lock while this lease is held. It starts with the fencing number. */
  readonly token: string;
  readonly fence: number;
};

/** Runs `work` under the change request's lock; null when another holder has it. */
export type UnderLease = <T>(
  of: ChangeRequest,
  signal: AbortSignal,
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
) => Promise<{ readonly result: T } | null>;

export class LeaseLostError extends AppError {
  constructor(key: string) {
    super({
      code: 'LEASE_LOST',
      message: 'the lock expired while its holder was working',
      disposition: { kind: 'retry' },
      fields: { key },
    });
  }
}

const acquire = createScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local fence = redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('SET', KEYS[1], fence .. ':' .. ARGV[2], 'PX', ARGV[1])
return fence`);

/**
 * Time since the newest lease after which the fencing number restarts. A write of an earlier holder is refused even then:
 * writes compare the whole token, and its nonce is never reused.
 */
const FENCE_KEEP_S = 30 * 24 * 3600;

const renew = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

const release = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);

export type LeaseRequest = {
  readonly key: string;
  readonly fenceKey: string;
  readonly ttlMs: number;
  readonly nonce: string;
};

/** Returns null when another holder has the lock. */
export const acquireLease = async (redis: Redis, request: LeaseRequest): Promise<Lease | null> => {
  const { key, fenceKey, ttlMs, nonce } = request;
  const fence = Number(await acquire(redis, [key, fenceKey], [ttlMs, nonce, FENCE_KEEP_S]));
  return fence === 0 ? null : { key, token: `${fence}:${nonce}`, fence };
};

export const renewLease = async (redis: Redis, lease: Lease, ttlMs: number): Promise<void> => {
  if (Number(await renew(redis, [lease.key], [lease.token, ttlMs])) !== 1) throw new LeaseLostError(lease.key);
};

/** Releases the lease. Does nothing if it has expired. */
export const releaseLease = async (redis: Redis, lease: Lease): Promise<void> => {
  await release(redis, [lease.key], [lease.token]);
};

/** First line of every script that writes under a lease: KEYS[1] is the lock, ARGV[1] the token. */
export const FENCED = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end\n`;

/** Renews the lease every third of its time and aborts `work` when the lease is lost. Null when another holder has the lock. */
export const withLease = async <T>(
  redis: Redis,
  request: LeaseRequest,
  signal: AbortSignal,
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
): Promise<{ readonly result: T } | null> => {
  const lease = await acquireLease(redis, request);
  if (lease === null) return null;
  return withAbort([signal], async (lost) => {
    const timer = setInterval(() => {
      renewLease(redis, lease, request.ttlMs).catch((error: unknown) => lost.abort(error));
    }, request.ttlMs / 3);
    try {
      return { result: await work(lease, lost.signal) };
    } finally {
      clearInterval(timer);
      await releaseLease(redis, lease);
    }
  });
};
