/**
 * Change requests per second through the pipeline, in one process over a real Redis. Included: the inbox, guard with all
 * its stores, leases and decisions, both post plans (announcement and round) with sanitizer, signed markers, read-before-write
 * and read-back, and every queue between them. Left out: the webhook's edge (a bench of its own), git and the rules: the
 * runner drafts a clean review at once. The forge is memory.
 */
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { createLogger, type Logger } from '../../shared/logger.ts';
import { QUEUES, type QueueName } from '../../shared/queue/contracts.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { changeRequestKey, type ChangeRequest } from '../../shared/vocabulary/ids.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { startRedis } from '../support/redis.ts';
import { type Measured, printTable, quantile } from './numbers.ts';
import { startPipeline } from './pipeline-stage.ts';

const CHANGE_REQUESTS = 150;
const PROJECTS = 10;
const ROUNDS = 3;
const PREFIX = 'bench';
const LIMIT_MS = 60_000;

const CONCURRENCY = { guard: 4, review: 2, post: 4 };
type Hop = keyof typeof CONCURRENCY;

/** One unit of work: `start` sets it off, `finish` is called when it has come through. */
type Course = { readonly start: (index: number) => Promise<void>; readonly close: () => Promise<void> };

/** Starts all at once and waits for the last. */
const runReview = async (start: Course['start'], finished: Map<number, () => void>) => {
  const begun = performance.now();
  const all = Array.from({ length: CHANGE_REQUESTS }, async (_, index) => {
    const done = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`number ${index} did not come through`)), LIMIT_MS);
      finished.set(index, () => (clearTimeout(late), resolve()));
    });
    await start(index);
    await done;
    return performance.now() - begun;
  });
  const tookMs = await Promise.all(all);
  return { perSecond: (CHANGE_REQUESTS * 1000) / Math.max(...tookMs), p99Ms: quantile(tookMs, 0.99) };
};

type Bench = { readonly redis: Redis; readonly log: Logger; readonly finished: Map<number, () => void> };

const changeRequestOf = (index: number, review: number): ChangeRequest => ({
  forge: 'sim',
  projectId: 1 + (index % PROJECTS),
  number: 1 + review * CHANGE_REQUESTS + index,
});

const startFixpoint = async ({ redis, log, finished }: Bench): Promise<(review: number) => Course> => {
  const numbers = new Map<string, number>();
  const stage = await startPipeline({
    redis,
    log,
    prefix: PREFIX,
    more: '[limits]\nrunning_per_project = 50',
    concurrency: CONCURRENCY,
    onVerdict: (of) => finished.get(numbers.get(changeRequestKey(of)) ?? -1)?.(),
  });
  return (review) => ({
    start: async (index) => {
      const of = changeRequestOf(index, review);
      numbers.set(changeRequestKey(of), index);
      await stage.open(of);
    },
    close: stage.close,
  });
};

/** As many jobs per change request and queue as the pipeline needs, one after the other, at the same concurrency. */
const startBare = ({ redis, finished }: Bench, hops: readonly Hop[]): Course => {
  const names = [...new Set(hops)];
  const queues = new Map(names.map((name) => [name, new Queue(name, { connection: redis, prefix: '{bare}' })]));
  const add = async (index: number, hop: number): Promise<void> => {
    const name = hops[hop];
    if (name === undefined) finished.get(index)?.();
    else await queues.get(name)?.add(name, { index, hop }, { removeOnComplete: true });
  };
  const workers = names.map(
    (name) =>
      new Worker<{ readonly index: number; readonly hop: number }>(
        name,
        async ({ data }) => add(data.index, data.hop + 1),
        {
          connection: redis,
          prefix: '{bare}',
          concurrency: CONCURRENCY[name],
        },
      ),
  );
  return {
    start: async (index) => add(index, 0),
    close: async () => {
      for (const worker of workers) await worker.close();
      for (const queue of queues.values()) await queue.close();
    },
  };
};

// The names are the keys of the object.
const NAMES = Object.keys(CONCURRENCY) as Hop[];

/** Ended jobs per change request and queue, counted instead of assumed. Delayed deadlines never ran. */
const countHops = async (redis: Redis): Promise<readonly Hop[]> => {
  const queues = createQueues(redis, createKeys(PREFIX).queues);
  const counts = await Promise.all(NAMES.map(async (name) => countEnded(queues.queue(name), name)));
  await queues.close();
  return counts.flat();
};

const countEnded = async <Name extends Hop & QueueName>(queue: Queue, name: Name): Promise<readonly Name[]> => {
  const ended = await queue.getJobCountByTypes('completed', 'failed');
  const perChangeRequest = Math.round(ended / CHANGE_REQUESTS);
  return Array.from({ length: perChangeRequest }, () => name);
};

export const benchPipeline = async (): Promise<void> => {
  const server = await startRedis();
  const redis = connectRedis(server.url, 'worker');
  const log = createLogger({ service: 'bench', level: 'warn', to: 'stderr', secrets: [] });
  const finished = new Map<number, () => void>();
  const idle = process.memoryUsage.rss();
  const courseOf = await startFixpoint({ redis, log, finished });
  try {
    await runReview(courseOf(0).start, finished);
    const hops = await countHops(redis);
    const bare = startBare({ redis, log, finished }, hops);
    await runReview(bare.start, finished);
    const results = {
      bare: [await runReview(bare.start, finished)],
      fixpoint: [await runReview(courseOf(1).start, finished)],
    };
    for (let review = 2; review <= ROUNDS; review += 1) {
      results.bare.push(await runReview(bare.start, finished));
      results.fixpoint.push(await runReview(courseOf(review).start, finished));
    }
    await bare.close();
    const memoryBytes = process.memoryUsage.rss() - idle;
    const row = (name: string, all: typeof results.bare): Measured => ({
      name,
      perSecond: all.map(({ perSecond }) => perSecond),
      p99Ms: all.map(({ p99Ms }) => p99Ms),
      memoryBytes,
    });
    const how = `${CHANGE_REQUESTS} at once, medians of ${ROUNDS} rounds, one process (memory is of both)`;
    printTable(`pipeline: change requests with an instant runner, ${how}`, 'per second', [
      row(`bare chain of ${hops.length} hops`, results.bare),
      row(`guard, ${QUEUES.review.name}, poster`, results.fixpoint),
    ]);
  } finally {
    await courseOf(0).close();
    redis.disconnect();
    await server.stop();
  }
};
