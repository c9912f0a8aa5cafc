import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';
import { createScript } from './server/script.ts';

/** One decision of guard, for `fixpoint why`. */
export const DecisionRecord = z.object({
  atMs: z.number().int(),
  effect: z.string(),
  reason: z.string(),
  head: z.string().nullable(),
  events: z.array(z.string()),
});
export type DecisionRecord = z.output<typeof DecisionRecord>;

/** Decisions, oldest first. `olderGone` is true when older decisions were dropped. */
export type DecisionLog = { readonly records: readonly DecisionRecord[]; readonly olderGone: boolean };

export type Decisions = {
  append(of: ChangeRequest, records: readonly DecisionRecord[]): Promise<void>;
  load(of: ChangeRequest): Promise<DecisionLog>;
  list(of: ChangeRequest): Promise<readonly DecisionRecord[]>;
};

/** Number of decisions kept per change request. Redis keeps one more, which shows that older decisions were dropped. */
export const KEPT_DECISIONS = 500;
/** Days since the newest decision of a change request, after which all of its decisions are dropped. */
export const DECISIONS_KEPT_DAYS = 30;
const KEEP_S = DECISIONS_KEPT_DAYS * 24 * 3600;

/** Lua that appends records. `key`, `keepS` and `firstRecord` are places in KEYS and ARGV. */
export const appendDecisions = ({
  key,
  keepS,
  firstRecord,
}: Record<'key' | 'keepS' | 'firstRecord', number>): string => `
redis.call('RPUSH', KEYS[${key}], unpack(ARGV, ${firstRecord}))
redis.call('LTRIM', KEYS[${key}], -${KEPT_DECISIONS + 1}, -1)
redis.call('EXPIRE', KEYS[${key}], ARGV[${keepS}])
`;

const append = createScript(`${appendDecisions({ key: 1, keepS: 1, firstRecord: 2 })}return 1`);

export const createDecisions = (redis: Redis, keys: Keys): Decisions => ({
  append: async (of, records) => {
    if (records.length === 0) return;
    const texts = records.map((record) => JSON.stringify(record));
    await append(redis, [keys.ofChangeRequest(of, 'decisions')], [KEEP_S, ...texts]);
  },
  load: async (of) => loadLog(redis, keys.ofChangeRequest(of, 'decisions')),
  list: async (of) => (await loadLog(redis, keys.ofChangeRequest(of, 'decisions'))).records,
});

const loadLog = async (redis: Redis, key: string): Promise<DecisionLog> => {
  const entries = await redis.lrange(key, 0, -1);
  return {
    records: entries.slice(-KEPT_DECISIONS).map((entry) => DecisionRecord.parse(JSON.parse(entry))),
    olderGone: entries.length > KEPT_DECISIONS,
  };
};
