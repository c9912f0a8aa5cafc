/** Which messages were begun to be sent: of one that was, and did not end as sent, nobody knows whether it arrived. */
import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';

export type SendingMarks = {
  /** `begun`: by this call, and by no other. Contract: atomic. */
  begin(id: string): Promise<'begun' | 'unknown' | 'sent'>;
  end(id: string): Promise<void>;
  /** Contract: only when the message surely did not arrive. */
  clear(id: string): Promise<void>;
};

/** Longer than an event is tried; shorter than the queue keeps the job, so that what still lasts is told once a week. */
const KEEP_S = 5 * 24 * 3600;

export const createSendingMarks = (redis: Redis, keys: Keys): SendingMarks => ({
  begin: async (id) => {
    if ((await redis.set(keys.sending(id), 'begun', 'EX', KEEP_S, 'NX')) === 'OK') return 'begun';
    return (await redis.get(keys.sending(id))) === 'sent' ? 'sent' : 'unknown';
  },
  end: async (id) => void (await redis.set(keys.sending(id), 'sent', 'EX', KEEP_S)),
  clear: async (id) => void (await redis.del(keys.sending(id))),
});
