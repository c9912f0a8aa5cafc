import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handler } from '../../../shared/queue/worker.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { job, newPrefix, Refusal, type StageOptions, startStage, type WorkerStage } from './worker-stage.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.stop());

const stage = (handle: Handler<'guard'>, options: StageOptions = {}): WorkerStage =>
  startStage(redis.url, handle, options);

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
    const on = stage(
      async () => {
        calls += 1;
        if (calls <= 3) throw new Refusal({ kind: 'retry_after', delayMs: 1 });
        return { kind: 'done' };
      },
      { attempts: 1 },
    );
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe('completed');
    await on.close();
    expect([calls, on.exhausted]).toEqual([4, []]);
  });

  it('comes back later when the handler defers', async () => {
    let calls = 0;
    const on = stage(
      async () => {
        calls += 1;
        return calls < 3 ? { kind: 'defer', delayMs: 1 } : { kind: 'done' };
      },
      { attempts: 1 },
    );
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe('completed');
    await on.close();
    expect(calls).toBe(3);
  });

  it('F-T10: goes on at once when no child is left to wait for', async () => {
    let calls = 0;
    const on = stage(
      async () => {
        calls += 1;
        return calls === 1 ? { kind: 'wait_for_children' } : { kind: 'done' };
      },
      // Longer than the test: the check for stalled jobs would take the job up again, too.
      { attempts: 1, lockMs: 60_000, stalledMs: 60_000 },
    );
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe('completed');
    await on.close();
    expect(calls).toBe(2);
  });

  it('F-T11: aborts an execution that lost its lock, and takes the job up again however often that happens', async () => {
    const prefix = newPrefix();
    const redisOfTest = connectRedis(redis.url, 'worker');
    let calls = 0;
    const aborted: [number, unknown][] = [];
    const on = stage(
      async (_payload, { signal }) => {
        calls += 1;
        if (calls > 3) return { kind: 'done' };
        const call = calls;
        await redisOfTest.del(`${prefix}:guard:one:lock`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        aborted.push([call, signal.reason]);
        throw new Error('aborted');
      },
      { attempts: 1, lockMs: 200, stalledMs: 100, prefix },
    );
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    expect(await on.ended('one')).toBe('completed');
    await on.close();
    redisOfTest.disconnect();
    const lost = (call: number) => [call, 'the lock of the job was lost'];
    expect({ calls, aborted, exhausted: on.exhausted }).toEqual({
      calls: 4,
      aborted: [1, 2, 3].map(lost),
      exhausted: [],
    });
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
      { attempts: 1, lockMs, stalledMs: lockMs, prefix },
    );
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    await expect.poll(() => aborted, { timeout: 10_000 }).toEqual([false]);
    await expect
      .poll(() => on.lines, { timeout: 5_000 })
      .toContainEqual(
        expect.objectContaining({
          level: 40,
          err: expect.objectContaining({ type: 'Error' }),
          msg: 'a job is gone from Redis, or another worker has it: its result is dropped',
        }),
      );
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
    expect((await on.queues.queue('guard').getJob('forged'))?.failedReason).toBe('JOB_REFUSED');
    await on.close();
    expect([calls, on.exhausted]).toEqual([0, []]);
    expect(on.lines).toMatchObject([
      {
        code: 'JOB_REFUSED',
        err: { fields: { queue: 'guard' }, message: expect.stringContaining('does not match its schema') },
      },
      { level: 50, code: 'JOB_REFUSED' },
    ]);
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
    let reason: unknown;
    const on = stage(
      async (_payload, { signal }) =>
        new Promise((_resolve, reject) => {
          begun();
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(new Error('aborted'));
          });
        }),
    );
    await on.queues.enqueue('guard', job, { jobId: 'long' });
    await started;
    await on.worker.close(50);
    expect(reason).toEqual(new Error('the process is shutting down'));
    const state = await (await on.queues.queue('guard').getJob('long'))?.getState();
    expect(['delayed', 'waiting']).toContain(state);
    await on.close();
  });
});
