/** What only an operator can put right, as jobs have met it: in Redis, for every process and for `fixpoint status`. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Mistake } from './outage.ts';
import { OutageKind } from '../rounds/model/events.ts';
import type { Keys } from '../store/keys.ts';

export const SeenMistake = z.object({
  what: OutageKind,
  code: z.string(),
  /** The queue whose job has met it. */
  queue: z.string(),
  /** Epoch ms of the store's clock: when a job met it first, and last. */
  sinceMs: z.number().int(),
  lastMs: z.number().int(),
});
export type SeenMistake = z.output<typeof SeenMistake>;

export type MistakeStore = {
  /** A job has ended because of one. */
  meet(mistake: Mistake): Promise<void>;
  /** The worker begins, perhaps with other settings: what its queue has met before says nothing any more. */
  begin(): Promise<void>;
};

/** Past it nobody has met it again: it may have been put right on the other side. */
const KEEP_S = 24 * 3600;

export type MistakeStoreSettings = { readonly queue: string; readonly nowMs: () => number };

export const createMistakeStore = (
  redis: Redis,
  { mistakes: board }: Keys,
  { queue, nowMs }: MistakeStoreSettings,
): MistakeStore => ({
  meet: async ({ what, code }) => {
    const field = `${queue} ${what} ${code}`;
    const lastMs = nowMs();
    const sinceMs = parse(await redis.hget(board, field))?.sinceMs ?? lastMs;
    const seen: SeenMistake = { what, code, queue, sinceMs, lastMs };
    await redis.multi().hset(board, field, JSON.stringify(seen)).expire(board, KEEP_S).exec();
  },
  begin: async () => {
    const fields = (await redis.hkeys(board)).filter((field) => field.startsWith(`${queue} `));
    if (fields.length > 0) await redis.hdel(board, ...fields);
  },
});

export const listMistakes = async (
  redis: Redis,
  { mistakes: board }: Keys,
  nowMs: number,
): Promise<readonly SeenMistake[]> =>
  (await redis.hvals(board))
    .flatMap((text) => parse(text) ?? [])
    .filter(({ lastMs }) => nowMs - lastMs < KEEP_S * 1000)
    .toSorted((one, other) => one.sinceMs - other.sinceMs || one.code.localeCompare(other.code, 'en'));

const WORDS: Readonly<Record<OutageKind, string>> = {
  model: 'the model refuses what is asked of it',
  forge: 'the forge refuses what is asked of it',
  git: 'git is refused by the forge',
  disk: 'a folder may not be written',
  store: 'Redis refuses what is asked of it',
};

/** For people: `readyz` and `fixpoint status`. */
export const mistakeText = ({ what, code, queue, sinceMs, lastMs }: SeenMistake): string =>
  `misconfiguration: ${WORDS[what]} since ${new Date(sinceMs).toISOString()}, last at ${new Date(lastMs).toISOString()} ` +
  `(${code}, in a job of ${queue}); work waits for a restart or a request`;

const parse = (text: string | null): SeenMistake | null => {
  if (text === null) return null;
  const parsed = SeenMistake.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
};
