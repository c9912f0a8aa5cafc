/**
 * Passes what one service has just read from a forge to another service, to save requests. The poster passes what it
 * read after posting, and guard passes what it based a plan on.
 *
 * Contract: a reading is taken once and expires after seconds. The poster drops all readings before and after it
 * writes, so that nobody can take a reading that was made before or during its writes.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ChangeRequestFacts, ForgeComment } from '../forge/port-facts.ts';
import { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';
import { createScript } from './server/script.ts';

const Account = z.object({ id: z.number(), login: z.string() });

/** Fields that are not listed here are kept unchecked, because the same version of Fixpoint wrote them. */
const Facts: z.ZodType<ChangeRequestFacts> = z.looseObject({
  changeRequest: ChangeRequest,
  state: z.enum(['open', 'closed', 'merged']),
  draft: z.boolean(),
  title: z.string(),
  description: z.string(),
  author: Account,
  labels: z.array(z.string()),
  head: CommitSha,
  targetHead: CommitSha,
  mergeBase: CommitSha.nullable(),
  sourceBranch: z.string(),
  targetBranch: z.string(),
  fromFork: z.boolean(),
  reviewers: z.array(Account),
  updatedAtMs: z.number(),
  webUrl: z.string(),
});

const Comment: z.ZodType<ForgeComment> = z.looseObject({
  id: z.string(),
  kind: z.enum(['conversation', 'inline', 'review_body']),
  threadId: z.string().nullable(),
  author: Account.nullable(),
  body: z.string(),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
  place: z.object({ path: z.string(), side: z.enum(['old', 'new']), line: z.number() }).nullable(),
  resolved: z.boolean().nullable(),
  webUrl: z.string(),
});

const HandedReading = z.object({
  /** The plan that the reading was made for, or whose posting it was made after. */
  planId: z.string(),
  facts: Facts,
  comments: z.array(Comment),
});
export type HandedReading = Readonly<z.output<typeof HandedReading>>;

export type Readings = {
  hand(of: ChangeRequest, reading: HandedReading): Promise<void>;
  drop(of: ChangeRequest): Promise<void>;
  /** Returns null when there is no reading, or when it was already taken. */
  take(of: ChangeRequest): Promise<HandedReading | null>;
  /** Called before guard reads. A `drop` after this call cancels the later `handLook` for this look. */
  beginLook(of: ChangeRequest): Promise<Look>;
  /** Only the first call per look has an effect. After a `drop`, no call has an effect. */
  handLook(of: ChangeRequest, look: Look, reading: HandedReading): Promise<void>;
  /** Returns the reading on which guard based this plan. Null as for `take`, and when the reading belongs to another plan. */
  takeLook(of: ChangeRequest, planId: string): Promise<HandedReading | null>;
};

export type Look = string & { readonly __brand: 'Look' };

/** KEYS: look. ARGV: expected value, new value, time to live. */
const replace = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`);

/** Longer than a report takes to reach guard, but short enough that a reading is never outdated by much. */
const KEEP_MS = 10_000;

/** Reading the forge again is cheaper than storing a larger reading. */
const MAX_LENGTH = 2_000_000;

export const createReadings = (redis: Redis, keys: Keys): Readings => {
  const keyOf = (of: ChangeRequest): string => keys.ofChangeRequest(of, 'reading');
  const lookOf = (of: ChangeRequest): string => keys.ofChangeRequest(of, 'look');
  return {
    hand: async (of, reading) => {
      const text = JSON.stringify(reading);
      if (text.length <= MAX_LENGTH) await redis.set(keyOf(of), text, 'PX', KEEP_MS);
    },
    drop: async (of) => void (await redis.del(keyOf(of), lookOf(of))),
    take: async (of) => takeFrom(redis, keyOf(of)),
    beginLook: async (of) => {
      // The cast applies the brand; any random string is a valid `Look`.
      const look = randomUUID() as Look;
      await redis.set(lookOf(of), JSON.stringify({ look }), 'PX', KEEP_MS);
      return look;
    },
    handLook: async (of, look, reading) => {
      const text = JSON.stringify(reading);
      if (text.length > MAX_LENGTH) return;
      await replace(redis, [lookOf(of)], [JSON.stringify({ look }), text, KEEP_MS]);
    },
    takeLook: async (of, planId) => {
      const reading = await takeFrom(redis, lookOf(of));
      return reading?.planId === planId ? reading : null;
    },
  };
};

const takeFrom = async (redis: Redis, key: string): Promise<HandedReading | null> => {
  const text = await redis.getdel(key);
  const parsed = text === null ? null : HandedReading.safeParse(JSON.parse(text));
  return parsed?.success === true ? parsed.data : null;
};
