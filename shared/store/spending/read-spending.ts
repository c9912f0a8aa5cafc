/** Reads the record of spending. */
import type { Redis } from 'ioredis';
import {
  parseSpendingField,
  type SpendingAmounts,
  type SpendingPlace,
  spendingKey,
  unpackAmounts,
} from './spending-record.ts';

export type SpendingRow = SpendingPlace & SpendingAmounts & { readonly day: string };

/** First and last day, both included, as `YYYY-MM-DD` in UTC. */
export type SpendingPeriod = { readonly since: string; readonly until: string };

const DAY_MS = 24 * 3600 * 1000;

/** Each day of the period, in order; empty if the period ends before it begins. */
export const daysOf = ({ since, until }: SpendingPeriod): readonly string[] => {
  const first = Date.parse(`${since}T00:00:00Z`);
  const count = Math.round((Date.parse(`${until}T00:00:00Z`) - first) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  );
};

const rowsOf = (day: string, fields: Readonly<Record<string, string>>): readonly SpendingRow[] =>
  Object.entries(fields).flatMap(([field, packed]) => {
    const [place, amounts] = [parseSpendingField(field), unpackAmounts(packed)];
    return place === null || amounts === null ? [] : [{ day, ...place, ...amounts }];
  });

/**
 * The rows of every day of the period, in the order of the days. A call that has been reserved and not yet settled, or
 * whose process died, counts with its worst case. A row whose calls were all free has only zeros and is left out.
 */
export const readSpending = async (
  redis: Redis,
  { prefix, ...period }: SpendingPeriod & { readonly prefix: string },
  signal: AbortSignal,
): Promise<readonly SpendingRow[]> => {
  const rows: SpendingRow[] = [];
  for (const day of daysOf(period)) {
    signal.throwIfAborted();
    rows.push(...rowsOf(day, await redis.hgetall(spendingKey(prefix, day))));
  }
  return rows.filter(
    ({ calls, inputTokens, outputTokens, microUsd }) => calls + inputTokens + outputTokens + microUsd > 0,
  );
};
