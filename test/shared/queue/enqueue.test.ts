import type { Redis } from 'ioredis';
import type { Job, JobState } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { type GuardJob, QUEUES, type QueueName } from '../../../shared/queue/contracts.ts';
import { createQueues, type EnqueueOptions, type QueueSettings, type Queues } from '../../../shared/queue/enqueue.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { freePort } from '../../support/redis.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const PREFIX = '{test}';
const job: GuardJob = { v: 1, kind: 'sweep' };

/** Queues for one test; they are closed at its end. */
const withQueues = async (work: (queues: Queues) => Promise<void>, settings: QueueSettings = {}): Promise<void> => {
  const queues = createQueues(redis, PREFIX, settings);
  try {
    await work(queues);
  } finally {
    await queues.close();
  }
};

const stored = async (queues: Queues, jobId: string, name: QueueName = 'guard'): Promise<Job> => {
  const found: Job | undefined = await queues.queue(name).getJob(jobId);
  if (found === undefined) throw new Error(`${jobId} is not stored`);
  return found;
};

const HOUR_S = 3_600;
const WEEK_S = 7 * 24 * HOUR_S;

describe('a stored job', () => {
  it.each<[string, Omit<EnqueueOptions, 'jobId'>, JobState, object]>([
    ['waits for a worker', {}, 'waiting', { delay: 0, priority: 0 }],
    ['waits until its delay has passed', { delayMs: 60_000 }, 'delayed', { delay: 60_000, priority: 0 }],
    ['waits in the order of the priorities', { priority: 7 }, 'prioritized', { delay: 0, priority: 7 }],
  ])('%s', async (_name, options, state, fields) =>
    withQueues(async (queues) => {
      await queues.enqueue('guard', job, { jobId: 'one', ...options });
      const found = await stored(queues, 'one');
      expect(await found.getState()).toBe(state);
      expect(found).toMatchObject({ name: 'guard', data: job, ...fields });
    }),
  );

  it.each<[string, QueueSettings, number, number]>([
    ['of its contract', {}, QUEUES.guard.attempts, QUEUES.guard.backoffMs],
    ["of the operator's settings", { attempts: 2, backoffMs: 30_000 }, 2, 30_000],
    ["of the operator's settings, also a delay of 0", { attempts: 1, backoffMs: 0 }, 1, 0],
  ])('has the attempts and the delays between them %s', async (_name, settings, attempts, delay) =>
    withQueues(async (queues) => {
      await queues.enqueue('guard', job, { jobId: 'one' });
      expect((await stored(queues, 'one')).opts).toMatchObject({
        attempts,
        backoff: { type: 'exponential', delay, jitter: 0.5 },
      });
    }, settings),
  );

  it.each(Object.keys(QUEUES) as QueueName[])(
    'of the queue %s is kept for an hour (an event for the operator for a week), a failed one for a week',
    (name) => {
      const keepCompletedS = name === 'notify' ? WEEK_S : HOUR_S;
      expect(QUEUES[name]).toMatchObject({ name, keepCompletedS, keepFailedS: WEEK_S });
    },
  );

  it('is stored with the times for which it is kept', async () =>
    withQueues(async (queues) => {
      await queues.enqueue('guard', job, { jobId: 'one' });
      const { opts } = await stored(queues, 'one');
      expect([opts.removeOnComplete, opts.removeOnFail]).toEqual([{ age: HOUR_S }, { age: WEEK_S, count: 1_000 }]);
    }));

  it('without a parent belongs to nobody', async () =>
    withQueues(async (queues) => {
      await queues.enqueue('guard', job, { jobId: 'one' });
      const { parent, opts } = await stored(queues, 'one');
      expect([parent, opts.ignoreDependencyOnFailure]).toEqual([undefined, undefined]);
    }));

  it('with a parent lets that go on when it fails itself', async () =>
    withQueues(async (queues) => {
      await queues.enqueue('guard', job, { jobId: 'parent' });
      const parent = { id: 'parent', queue: queues.queue('guard').qualifiedName };
      await queues.enqueue('guard', job, { jobId: 'child', parent });
      const child = await stored(queues, 'child');
      expect(child.parent).toMatchObject({ id: 'parent', queueKey: parent.queue });
      expect(child.opts.ignoreDependencyOnFailure).toBe(true);
      expect(await (await stored(queues, 'parent')).getDependenciesCount()).toMatchObject({ unprocessed: 1 });
    }));

  it('fits its contract, or it is not stored', async () =>
    withQueues(async (queues) => {
      // What a caller in plain JavaScript could hand over.
      const forged = { v: 1, kind: 'wake', changeRequest: '../x' } as unknown as GuardJob;
      await expect(queues.enqueue('guard', forged, { jobId: 'one' })).rejects.toMatchObject({ name: 'ZodError' });
      expect(await queues.queue('guard').getJob('one')).toBeUndefined();
    }));
});

describe('the queues of a process', () => {
  it('opens each queue once', async () =>
    withQueues(async (queues) => {
      expect(queues.queue('guard')).toBe(queues.queue('guard'));
      expect(queues.queue('guard')).not.toBe(queues.queue('post'));
    }));

  it('closes every queue that it has opened', async () => {
    const queues = createQueues(redis, PREFIX);
    const opened = [queues.queue('guard'), queues.queue('post')];
    await queues.close();
    expect(opened.map(({ closing }) => closing !== undefined)).toEqual([true, true]);
  });

  it('outlives an error of a connection, which is the matter of the command that needed it', async () =>
    withQueues(async (queues) => {
      // False: nobody listens. Outside of the library's own objects that would end the process.
      expect(queues.queue('guard').emit('error', new Error('the connection is lost'))).toBe(true);
    }));

  it('rejects at once while Redis is away, on the connection of a producer', async () => {
    const nowhere = connectRedis(`redis://127.0.0.1:${await freePort()}`, 'producer');
    const queues = createQueues(nowhere, PREFIX);
    try {
      const added = queues.enqueue('guard', job, { jobId: 'one' }).then(
        () => 'stored',
        () => 'rejected',
      );
      const late = new Promise<string>((resolve) => setTimeout(resolve, 5_000, 'waits').unref());
      expect(await Promise.race([added, late])).toBe('rejected');
    } finally {
      nowhere.disconnect();
    }
  });
});
