/** Stores in Redis the configuration mistakes that jobs met, for every process and for `fixpoint status`. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Mistake } from './outage.ts';
import { OutageKind } from '../rounds/model/events.ts';
import type { Keys } from '../store/keys.ts';

export const SeenMistake = z.object({
  what: OutageKind,
  code: z.string(),
  /** The queue of the job. */
  queue: z.string(),
  /** Epoch ms by the store's clock: when a job first and last met the mistake. */
  sinceMs: z.number().int(),
  lastMs: z.number().int(),
});
export type SeenMistake = z.output<typeof SeenMistake>;

export type MistakeStore = {
  /** Called when a job ended because of a mistake. */
  meet(mistake: Mistake): Promise<void>;
  /** Called when the worker starts: clears earlier mistakes of its queue, because the settings may have changed. */
  begin(): Promise<void>;
};

/** A mistake that no job has met for this long is dropped, because it may have been fixed on the other side. */
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
  model: 'the model refuses requests',
  forge: 'the forge refuses requests',
  git: 'the forge refuses git',
  disk: 'a folder is not writable',
  store: 'Redis refuses commands',
};

/** The text shown in `readyz` and `fixpoint status`. */
export const mistakeText = ({ what, code, queue, sinceMs, lastMs }: SeenMistake): string =>
  `misconfiguration: ${WORDS[what]} since ${new Date(sinceMs).toISOString()}, last at ${new Date(lastMs).toISOString()} ` +
  `(${code}, in a job of ${queue}); work waits for a restart or a request`;

const parse = (text: string | null): SeenMistake | null => {
  if (text === null) return null;
  const parsed = SeenMistake.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
};
