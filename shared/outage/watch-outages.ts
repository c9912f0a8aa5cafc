/** Polls outages and mistakes for `readyz` and the metrics of a process. */
import type { Redis } from 'ioredis';
import type { Metrics } from '../metrics.ts';
import { OutageKind } from '../rounds/model/events.ts';
import { createKeys } from '../store/keys.ts';
import { listOutages, outageText } from './outages.ts';
import { listMistakes, mistakeText } from './mistakes.ts';

export type OutageWatch = { readonly texts: () => readonly string[]; readonly stop: () => void };

export type OutageWatching = {
  readonly redis: Redis;
  readonly prefix: string;
  readonly metrics: Pick<Metrics, 'outages'>;
  readonly nowMs: () => number;
};

const EVERY_MS = 3_000;

/** Without Redis the last result is kept. The health check of Redis then reports the problem. */
export const watchOutages = ({ redis, prefix, metrics, nowMs }: OutageWatching, everyMs = EVERY_MS): OutageWatch => {
  const keys = createKeys(prefix);
  let texts: readonly string[] = [];
  const look = async (): Promise<void> => {
    const seen = await listOutages(redis, keys, nowMs());
    texts = [...seen.map(outageText), ...(await listMistakes(redis, keys, nowMs())).map(mistakeText)];
    for (const what of OutageKind.options)
      metrics.outages.set({ what }, seen.some((each) => each.what === what) ? 1 : 0);
  };
  let isLooking = false;
  const timer = setInterval(() => {
    // While Redis is unreachable, a worker's connection queues commands. Only one poll runs at a time, so that polls do
    // not pile up in that queue.
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }, everyMs);
  timer.unref();
  return { texts: () => texts, stop: () => clearInterval(timer) };
};
