/** Stores in Redis the current outages and how long each job has waited, for every process and for `fixpoint status`. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { decideWait, isOfOnePage, NOT_WAITED, type Outage, type OutageDecision, type Patience } from './outage.ts';
import { OutageKind } from '../rounds/model/events.ts';
import type { Keys } from '../store/keys.ts';
import { parseStored } from '../store/parse-stored.ts';

const WaitedRecord = z.object({
  waitedMs: z.number().nonnegative(),
  tries: z.number().int().nonnegative(),
  sinceMs: z.number().int().nullable(),
  /** The last outage of the job. Null when the wait concerns one change request only. */
  what: OutageKind.nullable(),
});

export const SeenOutage = z.object({
  what: OutageKind,
  code: z.string(),
  /** Epoch ms by the store's clock: when a job began to wait, and when a job last met the outage. */
  sinceMs: z.number().int(),
  lastMs: z.number().int(),
});
export type SeenOutage = z.output<typeof SeenOutage>;

export type OutageStore = {
  /** Called when a job met an outage. Contract: counts the outage before it returns. */
  meet(jobKey: string, outage: Outage): Promise<OutageDecision>;
  /** Called when the job succeeded. Its waiting time stays counted. */
  passed(jobKey: string): Promise<void>;
};

const JOB_KEEP_S = 2 * 24 * 3600;
const BOARD_KEEP_S = 24 * 3600;
/** Longer than the longest pause between two attempts. An older entry means that no job is waiting any more. */
const FRESH_MS = 150_000;

export type OutageSettings = Patience & { readonly nowMs: () => number; readonly random: () => number };

export const createOutageStore = (redis: Redis, keys: Keys, settings: OutageSettings): OutageStore => ({
  meet: async (jobKey, outage) => {
    const nowMs = settings.nowMs();
    const waited = parseStored(WaitedRecord, await redis.get(keys.waited(jobKey))) ?? NOT_WAITED;
    const decision = decideWait({ outage, waited, nowMs }, settings, settings.random);
    const { what, code } = outage;
    const isShared = !isOfOnePage(outage);
    if (isShared) await note(redis, keys, { what, code, sinceMs: waited.sinceMs ?? nowMs, lastMs: nowMs });
    if (decision.kind === 'wait') {
      const record = { ...decision.waited, what: isShared ? what : null };
      await redis.set(keys.waited(jobKey), JSON.stringify(record), 'EX', JOB_KEEP_S);
    }
    return decision;
  },
  passed: async (jobKey) => {
    const waited = parseStored(WaitedRecord, await redis.get(keys.waited(jobKey)));
    if (waited === null || waited.sinceMs === null) return;
    const rested = { ...waited, tries: 0, sinceMs: null };
    await redis.set(keys.waited(jobKey), JSON.stringify(rested), 'EX', JOB_KEEP_S);
    // Any other waiting job reports the outage again on its next attempt.
    if (waited.what !== null) await redis.hdel(keys.outages, waited.what);
  },
});

const note = async (redis: Redis, { outages }: Keys, seen: SeenOutage): Promise<void> => {
  const before = parseStored(SeenOutage, await redis.hget(outages, seen.what));
  const sinceMs = before === null ? seen.sinceMs : Math.min(before.sinceMs, seen.sinceMs);
  await redis
    .multi()
    .hset(outages, seen.what, JSON.stringify({ ...seen, sinceMs }))
    .expire(outages, BOARD_KEEP_S)
    .exec();
};

/** Outages that a job met within `FRESH_MS`. */
export const listOutages = async (redis: Redis, { outages }: Keys, nowMs: number): Promise<readonly SeenOutage[]> =>
  (await redis.hvals(outages))
    .flatMap((text) => parseStored(SeenOutage, text) ?? [])
    .filter(({ lastMs }) => nowMs - lastMs < FRESH_MS)
    .toSorted((one, other) => one.what.localeCompare(other.what, 'en'));

const WORDS: Readonly<Record<OutageKind, string>> = {
  model: 'the model cannot be used',
  forge: 'the forge cannot be used',
  git: 'git cannot fetch from or push to the forge',
  disk: 'the disk is full',
  store: 'Redis cannot be written',
};

/** The text shown in `readyz`, the log and `fixpoint status`. */
export const outageText = ({ what, code, sinceMs }: Pick<SeenOutage, 'what' | 'code' | 'sinceMs'>): string =>
  `outage: ${WORDS[what]} since ${new Date(sinceMs).toISOString()} (${code}); work waits and continues automatically`;
