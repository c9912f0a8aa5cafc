import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { QUEUES, type QueueName, type ReviewJob } from '../../../shared/queue/contracts.ts';
import { type Alone, noteSurvival, watchDeaths } from '../../../shared/queue/deaths.ts';
import { WorkerDiedError } from '../../../shared/queue/job-errors.ts';
import { createQueues, type Queues } from '../../../shared/queue/enqueue.ts';
import { createFailedJobs } from '../../../shared/queue/failed-jobs.ts';
import { type RunningWorker, startWorker } from '../../../shared/queue/worker.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import * as make from '../rounds/builders.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
let url = '';
useRedis((connection, address) => {
  redis = connection;
  url = address;
});

const keys = createKeys('test');
const RUN = make.runId('dying');

const review: ReviewJob = {
  v: 1,
  changeRequest: { forge: 'main', projectId: 1, number: 2 },
  runId: RUN,
  head: make.sha('head'),
  review: 1,
  attempt: 1,
  mustFinish: false,
  budget: { maxTurns: 1, maxRuntimeS: 60 },
};

type Stage = {
  readonly queues: Queues;
  readonly executed: string[];
  readonly exhausted: string[];
  /** Adds the job, as it is after so many processes died while they executed it. */
  readonly add: (jobId: string, deaths: number) => Promise<void>;
  /** Called by the handler with the id of the job. */
  whileItRuns: (jobId: string, signal: AbortSignal) => Promise<void>;
  readonly start: () => void;
  readonly ended: (jobId: string) => Promise<string>;
};

let close: () => Promise<void> = async () => {};
afterEach(async () => close());

const openStage = (): Stage => {
  const connection = connectRedis(url, 'worker');
  const queues = createQueues(connection, keys.queues, { attempts: 3, backoffMs: 1 });
  const executed: string[] = [];
  const exhausted: string[] = [];
  const workers: RunningWorker[] = [];
  close = async () => {
    await Promise.all(workers.map(async (each) => each.close(2_000)));
    await queues.close();
    connection.disconnect();
  };
  const start = (): void =>
    void workers.push(
      startWorker<'review'>({
        name: 'review',
        connection,
        prefix: keys.queues,
        concurrency: 1,
        lockMs: 200,
        stalledMs: 100,
        log: pino({ enabled: false }),
        handle: async (_payload, { job, signal }) => {
          executed.push(job.id ?? '');
          await stage.whileItRuns(job.id ?? '', signal);
          return { kind: 'done' };
        },
        onExhausted: async (payload, code) => void exhausted.push(`${payload.runId} ${code}`),
      }),
    );
  const stage: Stage = {
    queues,
    executed,
    exhausted,
    start,
    add: async (jobId, deaths) => {
      await queues.enqueue('review', review, { jobId });
      // The field in which the library counts the executions whose lock expired.
      await redis.hset(queues.queue('review').toKey(jobId), 'stc', deaths);
    },
    ended: async (jobId) => {
      const state = async (): Promise<string> => queues.queue('review').getJobState(jobId);
      await expect.poll(state, { timeout: 10_000, interval: 5 }).toMatch(/^(?:completed|failed)$/);
      return state();
    },
    whileItRuns: async () => {},
  };
  return stage;
};

describe('a job that takes down its processes', () => {
  it('Q2: is executed after two deaths, and fails at once after three, with one report', async () => {
    const on = openStage();
    await on.add('twice', 2);
    await on.add('thrice', 3);
    on.start();
    expect([await on.ended('twice'), await on.ended('thrice')]).toEqual(['completed', 'failed']);
    await expect.poll(() => on.exhausted).toEqual([`${RUN} WORKER_DIED`]);
    expect(on.executed).toEqual(['twice']);
    const failed = await on.queues.queue('review').getJob('thrice');
    expect([failed?.failedReason, failed?.attemptsMade]).toEqual(['WORKER_DIED', 1]);
  });

  it('goes on however often a process that lives loses its lock', async () => {
    const on = openStage();
    on.whileItRuns = async (jobId, signal) => {
      if (on.executed.length > 4) return;
      await redis.del(`${on.queues.queue('review').toKey(jobId)}:lock`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      signal.throwIfAborted();
    };
    await on.add('alive', 2);
    on.start();
    expect(await on.ended('alive')).toBe('completed');
    expect(on.executed).toEqual(Array.from({ length: 5 }, () => 'alive'));
    expect(on.exhausted).toEqual([]);
  });

  it('leaves nothing in Redis when the job is gone before its execution ends', async () => {
    await noteSurvival(redis, 'test:gone');
    expect(await redis.exists('test:gone')).toBe(0);
  });

  it('may take down three more after an operator has queued it again', async () => {
    const on = openStage();
    await on.add('again', 3);
    on.start();
    expect(await on.ended('again')).toBe('failed');
    const jobs = createFailedJobs({ redis, keys, queues: on.queues });
    expect(await jobs.runAgain('review', 'again')).toBe('queued');
    await expect.poll(() => on.executed).toEqual(['again']);
    expect(await on.ended('again')).toBe('completed');
  });

  it('Q2: is limited in every queue', () => {
    const limits = (Object.keys(QUEUES) as QueueName[]).map((name) => [name, QUEUES[name].maxDeaths]);
    expect(limits).toEqual(['guard', 'review', 'explore', 'post', 'fix', 'notify'].map((name) => [name, 3]));
  });

  it('is executed beside no other one, so that the jobs beside a deadly job are not counted with it again', async () => {
    const isAlone: boolean[] = [];
    let isTaken = true;
    const alone: Alone = async (signal, work) => {
      isAlone.push(!isTaken);
      return isTaken ? null : { result: await work(signal) };
    };
    const handle = async (): Promise<string> => 'done';
    const on = { connection: redis, prefix: keys.queues, alone };
    const budget = { maxWrites: 1, maxRuntimeS: 1 };
    const payload = {
      v: 1,
      changeRequest: review.changeRequest,
      runId: RUN,
      planId: `${RUN}-announce`,
      budget,
    } as const;
    const execute = async (stalledCounter: number) => {
      const watched = { job: { id: 'suspect', stalledCounter }, payload };
      return (await watchDeaths({ ...on, name: 'post' }, watched, handle))(AbortSignal.timeout(1_000));
    };
    expect([await execute(0), isAlone]).toEqual(['done', []]);
    expect(await execute(1)).toBeNull();
    isTaken = false;
    expect(await execute(2)).toBe('done');
    expect(isAlone).toEqual([false, true]);
    await expect(execute(3)).rejects.toThrow(WorkerDiedError);
    const long = { job: { id: 'suspect', stalledCounter: 2 }, payload: review };
    expect(await (await watchDeaths({ ...on, name: 'review' }, long, handle))(AbortSignal.timeout(1_000))).toBe('done');
    expect(isAlone).toHaveLength(2);
  });

  it('of guard counts only if it is a sweep: guard counts the deaths of each change request', async () => {
    const on = { connection: redis, prefix: keys.queues, name: 'guard' } as const;
    const job = { id: 'deadly', stalledCounter: 3 };
    const handle = async (): Promise<string> => 'done';
    const wake = { v: 1, kind: 'wake', changeRequest: review.changeRequest } as const;
    const executed = await watchDeaths(on, { job, payload: wake }, handle);
    expect(await executed(AbortSignal.timeout(1_000))).toBe('done');
    await expect(watchDeaths(on, { job, payload: { v: 1, kind: 'sweep' } }, handle)).rejects.toThrow(WorkerDiedError);
  });
});
