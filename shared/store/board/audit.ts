/** The last actions of people on the operator's page. The log has all of them. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { jsonOrNull } from '../../json-or-null.ts';
import type { Keys } from '../keys.ts';

export const AuditEntry = z.object({
  atMs: z.number().int(),
  action: z.string().max(40),
  /** What the action was about, such as the id of a job. */
  about: z.string().max(300),
  outcome: z.string().max(40),
  /** The address from which the request came. */
  address: z.string().max(100),
});
export type AuditEntry = z.output<typeof AuditEntry>;

export type AuditLog = {
  append(entry: AuditEntry): Promise<void>;
  /** The newest first. */
  list(): Promise<readonly AuditEntry[]>;
};

export const KEPT_AUDIT_ENTRIES = 200;
const KEEP_S = 400 * 24 * 3600;

export const createAudit = (redis: Redis, keys: Keys): AuditLog => {
  const key = keys.board('audit');
  return {
    append: async (entry) => {
      await redis
        .multi()
        .lpush(key, JSON.stringify(entry))
        .ltrim(key, 0, KEPT_AUDIT_ENTRIES - 1)
        .expire(key, KEEP_S)
        .exec();
    },
    list: async () =>
      (await redis.lrange(key, 0, -1)).flatMap((text) => {
        const parsed = AuditEntry.safeParse(jsonOrNull(text));
        return parsed.success ? [parsed.data] : [];
      }),
  };
};
