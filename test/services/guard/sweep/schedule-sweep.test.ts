/** The schedule on the real queue: one job after the other, although each comes again several times before it is done. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import { scheduleSweep } from '../../../../services/guard/sweep/schedule-sweep.ts';
import { createLogger } from '../../../../shared/logger.ts';
import { createQueues, type Queues } from '../../../../shared/queue/enqueue.ts';
import { type RunningWorker, startWorker } from '../../../../shared/queue/worker.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';

const keys = createKeys('schedule-test');
const WAIT_MS = 30_000;
const EXECUTIONS = 3;

let server: TestRedis;
let redis: Redis;
let queues: Queues;
let worker: RunningWorker | null = null;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
  queues = createQueues(redis, keys.queues);
});
afterAll(async () => {
  await worker?.close(1_000);
  await queues?.close();
  redis?.disconnect();
  await server?.stop();
});

test(
  'a sweep that rests comes again as the same job, and the next one comes after it',
  async () => {
    const log = createLogger({ service: 'guard', level: 'error', to: { write: () => {} }, secrets: [] });
    const executions = new Map<string, number>();
    let resolve = (): void => {};
    const twoAreDone = new Promise<void>((done) => {
      resolve = done;
    });
    const stop = await scheduleSweep(queues.queue('guard'), 1, { log, beside: async () => {} });
    worker = startWorker({
      name: 'guard',
      connection: redis,
      prefix: keys.queues,
      concurrency: 2,
      lockMs: 5_000,
      stalledMs: 5_000,
      log,
      handle: async (_job, { job }) => {
        const count = (executions.get(job.id ?? '') ?? 0) + 1;
        executions.set(job.id ?? '', count);
        if (count < EXECUTIONS) return { kind: 'defer', delayMs: 100 };
        if ([...executions.values()].filter((each) => each === EXECUTIONS).length >= 2) resolve();
        return { kind: 'done' };
      },
    });
    await twoAreDone;
    stop();
    await queues.queue('guard').removeJobScheduler('sweep');
    const [first, second] = [...executions.values()];
    expect([first, second]).toEqual([EXECUTIONS, EXECUTIONS]);
  },
  WAIT_MS,
);

test('a schedule that Redis lost is put back, with the work beside it, although that fails', async () => {
  const logged: { readonly msg: string; readonly err?: { readonly message: string } }[] = [];
  const log = createLogger({
    service: 'guard',
    level: 'warn',
    to: { write: (line) => void logged.push(JSON.parse(line)) },
    secrets: [],
  });
  const queue = queues.queue('guard');
  let times = 0;
  const beside = async (): Promise<void> => {
    times += 1;
    throw new Error('Redis is away');
  };
  const stop = await scheduleSweep(queue, 0.02, { log, beside });
  await queue.removeJobScheduler('sweep');
  await expect
    .poll(async () => queue.getJobScheduler('sweep'), { timeout: 5_000, interval: 5 })
    .toMatchObject({
      every: 20,
      template: {
        data: { v: 1, kind: 'sweep' },
        opts: { attempts: 1, removeOnComplete: { count: 10 }, removeOnFail: { count: 10 } },
      },
    });
  await expect.poll(() => times, { timeout: 5_000, interval: 5 }).toBeGreaterThan(1);
  stop();
  await queue.removeJobScheduler('sweep');
  expect(logged[0]).toMatchObject({
    msg: 'the webhook health metric could not be updated',
    err: { message: 'Redis is away' },
  });
  const before = times;
  await queue.getJobCounts();
  expect(times).toBe(before);
});
