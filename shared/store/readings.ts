/**
 * What the poster has just read back, handed to guard, whose next look would read the same again a moment later.
 *
 * Contract: a reading is taken once and lives for seconds. The poster throws away the last one before it writes, so that
 * none of a moment before a write can be taken after it.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ChangeRequestFacts, ForgeComment } from '../forge/port.ts';
import { ChangeRequest, CommitSha } from '../rounds/vocabulary.ts';
import type { Keys } from './keys.ts';

const Account = z.object({ id: z.number(), login: z.string() });

/** What is not named here is kept as it is: the same version wrote it. */
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
  /** Whose posting it was read after. */
  planId: z.string(),
  facts: Facts,
  comments: z.array(Comment),
});
export type HandedReading = Readonly<z.output<typeof HandedReading>>;

export type Readings = {
  hand(of: ChangeRequest, reading: HandedReading): Promise<void>;
  drop(of: ChangeRequest): Promise<void>;
  /** Null when there is none, and for the second one who asks. */
  take(of: ChangeRequest): Promise<HandedReading | null>;
};

/** Longer than a report takes to reach guard, shorter than anybody waits for an answer. */
const KEEP_MS = 10_000;

/** A larger one costs more here than another look at the forge. */
const MAX_LENGTH = 2_000_000;

export const createReadings = (redis: Redis, keys: Keys): Readings => {
  const keyOf = (of: ChangeRequest): string => keys.ofChangeRequest(of, 'reading');
  return {
    hand: async (of, reading) => {
      const text = JSON.stringify(reading);
      if (text.length <= MAX_LENGTH) await redis.set(keyOf(of), text, 'PX', KEEP_MS);
    },
    drop: async (of) => void (await redis.del(keyOf(of))),
    take: async (of) => {
      const [got] = (await redis.multi().get(keyOf(of)).del(keyOf(of)).exec()) ?? [];
      const text = z
        .string()
        .nullable()
        .parse(got?.[1] ?? null);
      const parsed = text === null ? null : HandedReading.safeParse(JSON.parse(text));
      return parsed?.success === true ? parsed.data : null;
    },
  };
};
