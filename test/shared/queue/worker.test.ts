import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError, type Disposition } from '../../../shared/errors.ts';
import type { GuardJob } from '../../../shared/queue/contracts.ts';
import { createQueues, type Queues } from '../../../shared/queue/enqueue.ts';
import { type Handler, type RunningWorker, startWorker } from '../../../shared/queue/worker.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.stop());

const job: GuardJob = { v: 1, kind: 'wake', changeRequest: { forge: 'main', projectId: 1, number: 2 } };

type Stage = {
  readonly queues: Queues;
  readonly exhausted: string[];
  readonly worker: RunningWorker;
  /** Resolves with the job's state once it is none of waiting, active or delayed. */
  readonly ended: (jobId: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

type Times = { readonly lockMs: number; readonly stalledMs: number };

const newPrefix = (): string => `{${randomBytes(6).toString('hex')}}`;

const stage = (
  handle: Handler<'guard'>,
  attempts = 3,
  { lockMs, stalledMs }: Times = { lockMs: 5_000, stalledMs: 5_000 },
  prefix = newPrefix(),
): Stage => {
  const connection = connectRedis(redis.url, 'worker');
  const queues = createQueues(connection, prefix, { attempts, backoffMs: 1 });
  const exhausted: string[] = [];
  const worker = startWorker({
    name: 'guard',
    connection,
    prefix,
    concurrency: 2,
    lockMs,
    stalledMs,
    log: pino({ level: 'silent' }),
    handle,
    onExhausted: async (_payload, code) => {
      exhausted.push(code);
    },
  });
  const ended = async (jobId: string): Promise<string> => {
    for (;;) {
      const found = await queues.queue('guard').getJob(jobId);
      const state = (await found?.getState()) ?? 'gone';
      if (state === 'completed' || state === 'failed') return state;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const close = async (): Promise<void> => {
    await worker.close(2_000);
    await queues.close();
    connection.disconnect();
  };
  return { queues, exhausted, worker, ended, close };
};

class Refusal extends AppError {
  constructor(disposition: Disposition) {
    super({ code: 'REFUSAL', message: 'refused', disposition });
  }
}

describe('a worker', () => {
  it.each([
    ['retry', { kind: 'retry' }, 'failed', 3, ['REFUSAL']],
    ['fail', { kind: 'fail' }, 'failed', 1, ['REFUSAL']],
    ['drop', { kind: 'drop' }, 'completed', 1, []],
  ] as const)('answers the disposition %s', async (_name, disposition, state, executions, exhausted) => {
    let calls = 0;
    const on = stage(async () => {
      calls += 1;
      throw new Refusal(disposition);
    });
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe(state);
    await on.close();
    expect([calls, on.exhausted]).toEqual([executions, exhausted]);
  });

  it('waits as long as the other side asked, without using up an attempt', async () => {
    let calls = 0;
    const on = stage(async () => {
      calls += 1;
      if (calls <= 3) throw new Refusal({ kind: 'retry_after', delayMs: 1 });
      return { kind: 'done' };
    }, 1);
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe('completed');
    await on.close();
    expect([calls, on.exhausted]).toEqual([4, []]);
  });

  it('comes back later when the handler defers', async () => {
    let calls = 0;
    const on = stage(async () => {
      calls += 1;
      return calls < 3 ? { kind: 'defer', delayMs: 1 } : { kind: 'done' };
    }, 1);
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe('completed');
    await on.close();
    expect(calls).toBe(3);
  });

  it('F-T10: goes on at once when no child is left to wait for', async () => {
    let calls = 0;
    const on = stage(async () => {
      calls += 1;
      return calls === 1 ? { kind: 'wait_for_children' } : { kind: 'done' };
    }, 1);
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe('completed');
    await on.close();
    expect(calls).toBe(2);
  });

  it('F-T11: aborts an execution that lost its lock, and takes the job up again however often that happens', async () => {
    const prefix = newPrefix();
    const redisOfTest = connectRedis(redis.url, 'worker');
    let calls = 0;
    const aborted: number[] = [];
    const on = stage(
      async (_payload, { signal }) => {
        calls += 1;
        if (calls > 3) return { kind: 'done' };
        const call = calls;
        await redisOfTest.del(`${prefix}:guard:one:lock`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        aborted.push(call);
        throw new Error('aborted');
      },
      1,
      { lockMs: 200, stalledMs: 100 },
      prefix,
    );
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe('completed');
    await on.close();
    redisOfTest.disconnect();
    expect({ calls, aborted, exhausted: on.exhausted }).toEqual({ calls: 4, aborted: [1, 2, 3], exhausted: [] });
  });

  it('lets an execution end whose job Redis has forgotten, since no other worker can take it up', async () => {
    const prefix = newPrefix();
    const redisOfTest = connectRedis(redis.url, 'worker');
    const lockMs = 1_000;
    const aborted: boolean[] = [];
    const on = stage(
      async (_payload, { signal }) => {
        await redisOfTest.flushall();
        await new Promise((elapsed) => setTimeout(elapsed, 3 * lockMs));
        aborted.push(signal.aborted);
        return { kind: 'done' };
      },
      1,
      { lockMs, stalledMs: lockMs },
      prefix,
    );
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    await expect.poll(() => aborted, { timeout: 10_000 }).toEqual([false]);
    await on.close();
    redisOfTest.disconnect();
  });

  it('Q10: refuses a job that does not fit its contract, without calling the handler', async () => {
    let calls = 0;
    const on = stage(async () => {
      calls += 1;
      return { kind: 'done' };
    });
    await on.queues.queue('guard').add('guard', { v: 1, kind: 'wake', changeRequest: '../x' }, { jobId: 'forged' });
    expect(await on.ended('forged')).toBe('failed');
    await on.close();
    expect(calls).toBe(0);
  });

  it('takes one id as one job', async () => {
    let calls = 0;
    const on = stage(async () => {
      calls += 1;
      return { kind: 'done' };
    });
    await Promise.all(Array.from({ length: 20 }, async () => on.queues.enqueue('guard', job, { jobId: 'same' })));
    await on.ended('same');
    await on.close();
    expect(calls).toBe(1);
  });

  it('Q13: aborts what runs too long at shutdown and hands it back', async () => {
    let begun: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let aborted = false;
    const on = stage(
      async (_payload, { signal }) =>
        new Promise((_resolve, reject) => {
          begun();
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(new Error('aborted'));
          });
        }),
    );
    await on.queues.enqueue('guard', job, { jobId: 'long' });
    await started;
    await on.worker.close(50);
    expect(aborted).toBe(true);
    const state = await (await on.queues.queue('guard').getJob('long'))?.getState();
    expect(['delayed', 'waiting']).toContain(state);
    await on.close();
  });
});
