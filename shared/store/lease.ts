import type { Redis } from 'ioredis';
import { AppError } from '../errors.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';

/**
 * A leased lock with a fencing number. The number rises with every lease that is granted for the key, and every write
 * under the lease is refused once another lease was granted or this one ran out: a worker that slept through its lease
 * can do no harm when it wakes.
 */
export type Lease = {
  readonly key: string;
  /** The value of the lock while this lease holds; starts with the fencing number. */
  readonly token: string;
  readonly fence: number;
};

/** Runs `work` under the change request's lock; null when somebody else holds it. */
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

const ACQUIRE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local fence = redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('SET', KEYS[1], fence .. ':' .. ARGV[2], 'PX', ARGV[1])
return fence`;

/**
 * Counted from the newest lease. Writes compare the whole token, and the nonce in it is never given out twice: a number
 * that begins anew lets no earlier holder in.
 */
const FENCE_KEEP_S = 30 * 24 * 3600;

const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

export type LeaseRequest = {
  readonly key: string;
  readonly fenceKey: string;
  readonly ttlMs: number;
  /** Unique per holder. */
  readonly nonce: string;
};

/** Null when somebody else holds it. */
export const acquireLease = async (redis: Redis, request: LeaseRequest): Promise<Lease | null> => {
  const { key, fenceKey, ttlMs, nonce } = request;
  const fence = Number(await redis.eval(ACQUIRE, 2, key, fenceKey, ttlMs, nonce, FENCE_KEEP_S));
  return fence === 0 ? null : { key, token: `${fence}:${nonce}`, fence };
};

export const renewLease = async (redis: Redis, lease: Lease, ttlMs: number): Promise<void> => {
  if (Number(await redis.eval(RENEW, 1, lease.key, lease.token, ttlMs)) !== 1) throw new LeaseLostError(lease.key);
};

/** Releasing a lease that ran out changes nothing. */
export const releaseLease = async (redis: Redis, lease: Lease): Promise<void> => {
  await redis.eval(RELEASE, 1, lease.key, lease.token);
};

/** The first line of every script that writes under a lease: KEYS[1] is the lock, ARGV[1] the token. */
export const FENCED = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end\n`;

/**
 * Runs `work` under a lease that is renewed at a third of its time. The signal given to `work` aborts when the lease is
 * lost. Returns null when somebody else holds the lock.
 */
export const withLease = async <T>(
  redis: Redis,
  request: LeaseRequest,
  signal: AbortSignal,
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
): Promise<{ readonly result: T } | null> => {
  const lease = await acquireLease(redis, request);
  if (lease === null) return null;
  const lost = new AbortController();
  const timer = setInterval(() => {
    renewLease(redis, lease, request.ttlMs).catch((error: unknown) => lost.abort(error));
  }, request.ttlMs / 3);
  try {
    return { result: await work(lease, AbortSignal.any([signal, lost.signal])) };
  } finally {
    clearInterval(timer);
    await releaseLease(redis, lease);
  }
};
