import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { Outage } from '../../../shared/outage/outage.ts';
import type { OutageStore } from '../../../shared/outage/outages.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { job, newPrefix, Refusal, startStage } from './worker-stage.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.stop());

const pause = async (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const away = new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'x', disposition: { kind: 'retry' } });

/** One job of one attempt, until it has ended. */
const runOne = async (
  handle: Parameters<typeof startStage>[1],
  options: Parameters<typeof startStage>[2] = {},
): Promise<ReturnType<typeof startStage> & { readonly state: string }> => {
  const on = startStage(redis.url, handle, { attempts: 1, ...options });
  await on.queues.enqueue('guard', job, { jobId: 'one' });
  const state = await on.ended('one');
  await on.close();
  return { ...on, state };
};

describe('the code of a job that ended without success', () => {
  it.each<[string, unknown, string]>([
    ['of an expected error is its own', new Refusal({ kind: 'retry' }), 'REFUSAL'],
    ['of a final error is its own', new Refusal({ kind: 'fail' }), 'REFUSAL'],
    ['of a time limit is JOB_TIMED_OUT', new DOMException('too long', 'TimeoutError'), 'JOB_TIMED_OUT'],
    ['of any other error is UNEXPECTED', new Error('x'), 'UNEXPECTED'],
    ['of another error with a code is UNEXPECTED', Object.assign(new Error('x'), { code: 'EPIPE' }), 'UNEXPECTED'],
    ['of an abort is UNEXPECTED', new DOMException('stopped', 'AbortError'), 'UNEXPECTED'],
    ['of an outage that nobody counts is its own', away, 'FORGE_UNAVAILABLE'],
  ])('%s', async (_name, error, code) => {
    const { state, exhausted, lines } = await runOne(async () => {
      throw error;
    });
    expect([state, exhausted]).toEqual(['failed', [code]]);
    const bindings = { jobId: 'one', queue: 'guard', code };
    expect(lines).toEqual([
      { level: 40, ...bindings, attempt: 1, err: expect.any(Object), msg: 'job execution failed' },
      { level: 50, ...bindings, msg: 'job ended without success' },
    ]);
  });

  it('is UNEXPECTED for what is no error, even if it is named like a time limit', async () => {
    const { exhausted, lines } = await runOne(async () => {
      throw { name: 'TimeoutError', message: 'x' };
    });
    expect(lines).toContainEqual(expect.objectContaining({ code: 'UNEXPECTED', msg: 'job execution failed' }));
    expect(exhausted).toEqual(['UNEXPECTED']);
  });
});

describe('a worker', () => {
  it('tells the handler and the log which attempt it is', async () => {
    const attempts: number[] = [];
    const on = await runOne(
      async (_payload, { attempt, log }) => {
        attempts.push(attempt);
        log.info('begun');
        throw new Refusal({ kind: 'retry' });
      },
      { attempts: 3 },
    );
    expect(attempts).toEqual([1, 2, 3]);
    const bindings = { queue: 'guard', jobId: 'one' };
    const failed = on.lines.filter(({ msg }) => msg === 'job execution failed');
    expect(failed).toMatchObject([1, 2, 3].map((attempt) => ({ ...bindings, attempt })));
    expect(on.lines.filter(({ msg }) => msg === 'begun')).toEqual(
      [1, 2, 3].map(() => ({ level: 30, ...bindings, msg: 'begun' })),
    );
  });

  it.each([
    ['done', { kind: 'drop' }],
    ['failed', { kind: 'fail' }],
  ] as const)('tells how many seconds an execution took that is %s', async (outcome, disposition) => {
    const startedAt = performance.now();
    const { executions } = await runOne(async () => {
      await pause(60);
      if (outcome === 'failed') throw new Refusal(disposition);
      return { kind: 'done' };
    });
    const wholeSeconds = (performance.now() - startedAt) / 1_000;
    expect(executions).toEqual([{ outcome, seconds: expect.any(Number) }]);
    // A timer may ring a millisecond early.
    expect(executions[0]?.seconds).toBeGreaterThan(0.05);
    expect(executions[0]?.seconds).toBeLessThan(wholeSeconds);
  });

  it.each<[string, Parameters<typeof startStage>[1]]>([
    ['the handler defers', async () => ({ kind: 'defer', delayMs: 300 })],
    [
      'the other side names a delay',
      async () => {
        throw new Refusal({ kind: 'retry_after', delayMs: 300 });
      },
    ],
  ])('waits as long as it is told when %s', async (_name, first) => {
    const startsMs: number[] = [];
    const { state, exhausted } = await runOne(async (payload, context) => {
      startsMs.push(Date.now());
      return startsMs.length === 1 ? first(payload, context) : { kind: 'done' };
    });
    const [firstMs = 0, secondMs = 0, ...more] = startsMs;
    expect([state, exhausted, more]).toEqual(['completed', [], []]);
    expect(secondMs - firstMs).toBeGreaterThanOrEqual(299);
  });

  it('counts neither a deferral nor a wait for children as an execution that failed', async () => {
    let calls = 0;
    const { executions, lines } = await runOne(async () => {
      calls += 1;
      if (calls === 1) return { kind: 'defer', delayMs: 1 };
      return calls === 2 ? { kind: 'wait_for_children' } : { kind: 'done' };
    });
    expect(executions).toMatchObject([{ outcome: 'done' }]);
    expect(lines).toEqual([]);
  });

  it.each(['done', 'failed'] as const)('lets a job go on once its child is %s', async (outcome) => {
    const seen: string[] = [];
    const prefix = newPrefix();
    const on = startStage(
      redis.url,
      async (_payload, context) => {
        const isParent = context.job.id === 'parent';
        seen.push(context.job.id ?? '');
        if (isParent && seen.length > 1) return { kind: 'done' };
        if (!isParent && outcome === 'failed') throw new Refusal({ kind: 'fail' });
        if (!isParent) return { kind: 'done' };
        const parent = { id: 'parent', queue: context.job.queueQualifiedName };
        await on.queues.enqueue('guard', job, { jobId: 'child', parent, delayMs: 50 });
        return { kind: 'wait_for_children' };
      },
      { attempts: 1, prefix, lockMs: 30_000, stalledMs: 30_000 },
    );
    await on.queues.enqueue('guard', job, { jobId: 'parent' });
    expect(await on.ended('parent')).toBe('completed');
    await on.close();
    expect(seen).toEqual(['parent', 'child', 'parent']);
    expect(on.executions).toMatchObject([{ outcome }, { outcome: 'done' }]);
    expect(on.lines.filter(({ jobId }) => jobId === 'parent')).toEqual([]);
  });

  it('only logs a lost job of which nobody wants to be told', async () => {
    const { lines, exhausted } = await runOne(
      async () => {
        throw new Refusal({ kind: 'fail' });
      },
      { isHeard: false },
    );
    expect(exhausted).toEqual([]);
    expect(lines.map(({ msg }) => msg)).toEqual(['job execution failed', 'job ended without success']);
  });

  it('says when a lost job could not be reported', async () => {
    const { lines } = await runOne(
      async () => {
        throw new Refusal({ kind: 'fail' });
      },
      {
        onExhausted: async () => {
          throw new Error('the store is away');
        },
      },
    );
    expect(lines.at(-1)).toMatchObject({
      level: 50,
      jobId: 'one',
      err: { message: 'the store is away' },
      msg: 'could not report an exhausted job',
    });
  });
});

/** A store that puts every job off by `delayMs`, and keeps what it is asked. */
const recordingStore = (delayMs: number) => {
  const asked: [string, string][] = [];
  const outages: OutageStore = {
    meet: async (jobKey, { code }: Outage) => {
      asked.push([jobKey, code]);
      const isNew = asked.length === 1;
      return { kind: 'wait', delayMs, isNew, waited: { waitedMs: delayMs, tries: asked.length, sinceMs: 1 } };
    },
    passed: async (jobKey) => {
      asked.push([jobKey, 'passed']);
    },
  };
  return { asked, outages };
};

describe('a job that meets an outage', () => {
  it('waits as long as the store of outages says, and the log tells why', async () => {
    const { asked, outages } = recordingStore(300);
    const startsMs: number[] = [];
    const { lines, state } = await runOne(
      async () => {
        startsMs.push(Date.now());
        if (startsMs.length === 1) throw away;
        return { kind: 'done' };
      },
      { outages },
    );
    expect(state).toBe('completed');
    expect((startsMs[1] ?? 0) - (startsMs[0] ?? 0)).toBeGreaterThanOrEqual(299);
    expect(lines.at(-1)).toEqual({
      level: 40,
      jobId: 'one',
      outage: 'forge',
      code: 'FORGE_UNAVAILABLE',
      delayMs: 300,
      msg: 'a dependency of the job is unavailable; the job waits',
    });
    expect(asked).toEqual([
      ['guard.one', 'FORGE_UNAVAILABLE'],
      ['guard.one', 'passed'],
    ]);
  });

  it('asks nothing of the store of outages when it gets through at once', async () => {
    const { asked, outages } = recordingStore(1);
    await runOne(async () => ({ kind: 'done' }), { outages });
    expect(asked).toEqual([]);
  });
});

describe('a job that meets a mistake in the configuration', () => {
  const refused = new ForgeRequestError({ code: 'FORGE_UNAUTHORISED', message: 'x', disposition: { kind: 'fail' } });
  const meetMistake = async (): Promise<never> => {
    throw refused;
  };

  it('ends with the code of the mistake where nobody collects mistakes', async () => {
    const { exhausted } = await runOne(meetMistake, { attempts: 3 });
    expect(exhausted).toEqual(['FORGE_UNAUTHORISED']);
  });

  it('ends in the same way when the mistake could not be noted, and the log tells why', async () => {
    const mistakes = {
      meet: async () => {
        throw new Error('the store is away');
      },
    };
    const { exhausted, lines } = await runOne(meetMistake, { attempts: 3, mistakes });
    expect(exhausted).toEqual(['FORGE_UNAUTHORISED']);
    expect(lines).toContainEqual({
      level: 40,
      jobId: 'one',
      err: expect.objectContaining({ message: 'the store is away' }),
      msg: expect.stringMatching(/./),
    });
  });
});

describe('a worker at shutdown', () => {
  it('lets a running job end in time, and aborts nothing', async () => {
    let begun: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const signals: AbortSignal[] = [];
    const on = startStage(redis.url, async (_payload, { signal }) => {
      signals.push(signal);
      begun();
      await pause(100);
      return { kind: 'done' };
    });
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    await started;
    await on.worker.close(5_000);
    expect(on.executions).toMatchObject([{ outcome: 'done' }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await on.close();
  });
});

describe('a worker that lost a lock', () => {
  it('says when it cannot look who holds it', async () => {
    const prefix = newPrefix();
    const other = connectRedis(redis.url, 'worker');
    const on = startStage(
      redis.url,
      async () => {
        // Not the kind of value that the queue library stores there: reading the job is an error.
        await other.multi().del(`${prefix}:guard:one:lock`).set(`${prefix}:guard:one`, 'x').exec();
        await expect
          .poll(() => on.lines, { timeout: 5_000 })
          .toContainEqual(
            expect.objectContaining({
              level: 40,
              jobId: 'one',
              err: expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') }),
              msg: 'could not check who holds the lock of a job',
            }),
          );
        seen.push('told');
        return { kind: 'done' };
      },
      { lockMs: 400, stalledMs: 30_000, prefix },
    );
    const seen: string[] = [];
    await on.queues.enqueue('guard', job, { jobId: 'one' });
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['told']);
    await on.close();
    other.disconnect();
  });
});
