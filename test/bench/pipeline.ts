/**
 * Change requests per second through the pipeline, in one process over a real Redis. Included: the inbox, guard with all
 * its stores, leases and decisions, both post plans (announcement and round) with sanitizer, signed markers, read-before-write
 * and read-back, and every queue between them. Left out: git and the rules: the runner drafts a clean review at once. The
 * forge is memory. Then one change request at a time, from the webhook at the ingress to its first comment.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createLogger, type Logger } from '../../shared/logger.ts';
import { QUEUES, type QueueName } from '../../shared/queue/contracts.ts';
import { createQueues, type Queues } from '../../shared/queue/enqueue.ts';
import { changeRequestKey, type ChangeRequest } from '../../shared/vocabulary/ids.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { startRedis } from '../support/redis.ts';
import { type Measured, median, printTable, quantile, spreadOf } from './numbers.ts';
import { measureAtRest } from './pipeline-at-rest.ts';
import { startPipeline } from './pipeline-stage.ts';

const CHANGE_REQUESTS = 150;
const PROJECTS = 10;
/** Rounds that are not measured: Node compiles the hot functions in the first seconds. */
const WARM_ROUNDS = 4;
const ROUNDS = 7;
const PREFIX = 'bench';
const LIMIT_MS = 60_000;
const REST_MS = 50;

const CONCURRENCY = { guard: 4, review: 2, post: 4 };
type Hop = keyof typeof CONCURRENCY;

/** One unit of work: `start` sets it off, `finish` is called when it has come through. */
type Course = { readonly start: (index: number) => Promise<void>; readonly close: () => Promise<void> };

/** `cpuMs`, `redisMs`, `reads`: processor time of this process and of Redis, and Redis's reads of sockets, for one change request. */
type Round = Record<'perSecond' | 'p99Ms' | 'cpuMs' | 'redisMs' | 'reads', number>;

/** Starts all at once and waits for the last. */
const runAll = async (start: Course['start'], finished: Map<number, () => void>): Promise<readonly number[]> => {
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
  return Promise.all(all);
};

type Bench = {
  readonly redis: Redis;
  readonly url: string;
  readonly log: Logger;
  readonly finished: Map<number, () => void>;
};

const infoOf = async (redis: Redis): Promise<{ readonly ms: number; readonly reads: number }> => {
  const info = await redis.info();
  const valueOf = (name: string): number => Number(new RegExp(`^${name}:(.+)$`, 'm').exec(info)?.[1]);
  return {
    ms: (valueOf('used_cpu_user') + valueOf('used_cpu_sys')) * 1000,
    reads: valueOf('total_reads_processed'),
  };
};

const measureRound = async ({ redis, finished }: Bench, start: Course['start']): Promise<Round> => {
  const [before, ownBefore] = [await infoOf(redis), process.cpuUsage()];
  const tookMs = await runAll(start, finished);
  const [own, after] = [process.cpuUsage(ownBefore), await infoOf(redis)];
  return {
    perSecond: (CHANGE_REQUESTS * 1000) / Math.max(...tookMs),
    p99Ms: quantile(tookMs, 0.99),
    cpuMs: (own.user + own.system) / 1000 / CHANGE_REQUESTS,
    redisMs: (after.ms - before.ms) / CHANGE_REQUESTS,
    reads: (after.reads - before.reads) / CHANGE_REQUESTS,
  };
};

const changeRequestOf = (index: number, review: number): ChangeRequest => ({
  forge: 'sim',
  projectId: 1 + (index % PROJECTS),
  number: 1 + review * CHANGE_REQUESTS + index,
});

type Fixpoint = { readonly courseOf: (review: number) => Course; readonly measureAlone: () => Promise<void> };

const startFixpoint = async ({ redis, url, log, finished }: Bench): Promise<Fixpoint> => {
  const numbers = new Map<string, number>();
  const alone = { onComment: (_key: string): void => {}, onVerdict: (_key: string): void => {} };
  const stage = await startPipeline({
    redis,
    log,
    redisUrl: url,
    prefix: PREFIX,
    more: '[limits]\nrunning_per_project = 50',
    concurrency: CONCURRENCY,
    onComment: (of) => alone.onComment(changeRequestKey(of)),
    onVerdict: (of) => {
      alone.onVerdict(changeRequestKey(of));
      finished.get(numbers.get(changeRequestKey(of)) ?? -1)?.();
    },
  });
  return {
    courseOf: (review) => ({
      start: async (index) => {
        const of = changeRequestOf(index, review);
        numbers.set(changeRequestKey(of), index);
        await stage.open(of);
      },
      close: stage.close,
    }),
    measureAlone: async () => measureAtRest(stage, alone),
  };
};

/** As many jobs per change request and queue as the pipeline needs, one after the other, at the same concurrency. */
const startBare = ({ url, finished }: Bench, hops: readonly Hop[]): Course => {
  // A connection as the library's documentation makes it, without what Fixpoint adds.
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const names = [...new Set(hops)];
  const queues = new Map(names.map((name) => [name, new Queue(name, { connection, prefix: '{bare}' })]));
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
        { connection, prefix: '{bare}', concurrency: CONCURRENCY[name] },
      ),
  );
  return {
    start: async (index) => add(index, 0),
    close: async () => {
      for (const worker of workers) await worker.close();
      for (const queue of queues.values()) await queue.close();
      connection.disconnect();
    },
  };
};

// The names are the keys of the object.
const NAMES = Object.keys(CONCURRENCY) as Hop[];

/** After the verdict, guard still ends the run. */
const awaitRest = async (queues: Queues): Promise<void> => {
  const busy = async (name: Hop): Promise<number> =>
    queues.queue(name).getJobCountByTypes('waiting', 'prioritized', 'active');
  while ((await Promise.all(NAMES.map(busy))).some((jobs) => jobs > 0)) await pause(REST_MS);
};

/** Ended jobs per change request and queue, counted instead of assumed. Delayed deadlines never ran. */
const countHops = async (redis: Redis): Promise<readonly Hop[]> => {
  const queues = createQueues(redis, createKeys(PREFIX).queues);
  await awaitRest(queues);
  const counts = await Promise.all(NAMES.map(async (name) => countEnded(queues.queue(name), name)));
  await queues.close();
  return counts.flat();
};

const countEnded = async <Name extends Hop & QueueName>(queue: Queue, name: Name): Promise<readonly Name[]> => {
  const ended = await queue.getJobCountByTypes('completed', 'failed');
  const perChangeRequest = Math.round(ended / CHANGE_REQUESTS);
  return Array.from({ length: perChangeRequest }, () => name);
};

type Results = { readonly bare: Round[]; readonly fixpoint: Round[] };

/** Rounds of both sides in turns. */
const measureInTurns = async (bench: Bench, bare: Course, { courseOf }: Fixpoint): Promise<Results> => {
  const results: Results = { bare: [], fixpoint: [] };
  for (let round = 1; round <= WARM_ROUNDS + ROUNDS; round += 1) {
    const sides = [
      { of: results.bare, start: bare.start },
      { of: results.fixpoint, start: courseOf(round).start },
    ];
    for (const { of, start } of round % 2 === 0 ? sides : sides.toReversed()) {
      const measured = await measureRound(bench, start);
      if (round > WARM_ROUNDS) of.push(measured);
    }
  }
  return results;
};

const print = ({ bare, fixpoint }: Results, hops: number, memoryBytes: number): void => {
  const row = (name: string, all: readonly Round[]): Measured => ({
    name,
    perSecond: all.map(({ perSecond }) => perSecond),
    p99Ms: all.map(({ p99Ms }) => p99Ms),
    memoryBytes,
  });
  const how = `${CHANGE_REQUESTS} at once, medians of ${ROUNDS} rounds, one process (memory is of both)`;
  printTable(`pipeline: change requests with an instant runner, ${how}`, 'per second', [
    row(`bare chain of ${hops} hops`, bare),
    row(`guard, ${QUEUES.review.name}, poster`, fixpoint),
  ]);
  const spread = (name: keyof Round): string =>
    spreadOf(
      bare.map((round) => round[name]),
      fixpoint.map((round) => round[name]),
    );
  console.log(`ratio in each round, median and extremes: per second ${spread('perSecond')}, p99 ${spread('p99Ms')}`);
  const each = (name: keyof Round, digits: number): string =>
    [bare, fixpoint].map((all) => median(all.map((round) => round[name])).toFixed(digits)).join(' and ');
  console.log(`processor time per change request: ${each('cpuMs', 2)} ms, ratio ${spread('cpuMs')}`);
  console.log(`of Redis: ${each('redisMs', 2)} ms, ratio ${spread('redisMs')}; reads of sockets: ${each('reads', 0)}`);
};

export const benchPipeline = async (): Promise<void> => {
  const server = await startRedis();
  const redis = connectRedis(server.url, 'worker');
  const log = createLogger({ service: 'bench', level: 'warn', to: 'stderr', secrets: [] });
  const bench: Bench = { redis, url: server.url, log, finished: new Map() };
  const idle = process.memoryUsage.rss();
  const fixpoint = await startFixpoint(bench);
  try {
    await runAll(fixpoint.courseOf(0).start, bench.finished);
    const hops = await countHops(redis);
    const bare = startBare(bench, hops);
    const results = await measureInTurns(bench, bare, fixpoint);
    await bare.close();
    print(results, hops.length, process.memoryUsage.rss() - idle);
    await fixpoint.measureAlone();
  } finally {
    await fixpoint.courseOf(0).close();
    redis.disconnect();
    await server.stop();
  }
};
