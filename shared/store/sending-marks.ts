/** Marks messages whose sending has begun. If the sending did not end, it is unknown whether the message arrived. */
import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';

export type SendingMarks = {
  /** `begun` means that this call, and no other call, began sending. Contract: atomic. */
  begin(id: string): Promise<'begun' | 'unknown' | 'sent'>;
  end(id: string): Promise<void>;
  /** Contract: called only when the message certainly did not arrive. */
  clear(id: string): Promise<void>;
};

/** Longer than an event is retried, but shorter than the queue keeps the job, so that a lasting problem is reported weekly. */
const KEEP_S = 5 * 24 * 3600;

export const createSendingMarks = (redis: Redis, keys: Keys): SendingMarks => ({
  begin: async (id) => {
    if ((await redis.set(keys.sending(id), 'begun', 'EX', KEEP_S, 'NX')) === 'OK') return 'begun';
    return (await redis.get(keys.sending(id))) === 'sent' ? 'sent' : 'unknown';
  },
  end: async (id) => void (await redis.set(keys.sending(id), 'sent', 'EX', KEEP_S)),
  clear: async (id) => void (await redis.del(keys.sending(id))),
});
