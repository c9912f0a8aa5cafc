import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GuardJob, QUEUES } from '../../../shared/queue/contracts.ts';
import { createQueues, type Queues } from '../../../shared/queue/enqueue.ts';
import { createFailedJobs, type FailedJobs } from '../../../shared/queue/failed-jobs.ts';
import { countQueues } from '../../../shared/queue/queue-counts.ts';
import { createDeathWatch } from '../../../shared/queue/death-watch.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import * as make from '../rounds/builders.ts';
import { useRedis } from '../../support/use-redis.ts';
import { job, Refusal, startStage, type WorkerStage } from './worker-stage.ts';

let redis: Redis;
let url = '';
useRedis((connection, address) => {
  redis = connection;
  url = address;
});

const PREFIX = 'test';
const keys = createKeys(PREFIX);
const OF = { forge: 'main', projectId: 1, number: 2 };

let queues: Queues;
let failed: FailedJobs;
let on: WorkerStage | null = null;
beforeEach(() => {
  queues = createQueues(redis, keys.queues, { attempts: 2, backoffMs: 1 });
  failed = createFailedJobs({ redis, keys, queues });
});
afterEach(async () => {
  await on?.close();
  on = null;
  await queues.close();
});

type Fails = { readonly calls: () => number; readonly mend: () => void };

/** A worker whose jobs fail until it is mended. */
const startFailing = (error: Error): Fails => {
  let calls = 0;
  let isMended = false;
  on = startStage(
    url,
    async () => {
      calls += 1;
      if (!isMended) throw error;
      return { kind: 'done' };
    },
    { prefix: keys.queues, attempts: 2 },
  );
  return {
    calls: () => calls,
    mend: () => {
      isMended = true;
    },
  };
};

const fail = async (jobId: string, payload: GuardJob = job): Promise<void> => {
  await queues.enqueue('guard', payload, { jobId });
  expect(await on?.ended(jobId)).toBe('failed');
};

describe('the list of failed jobs', () => {
  it('F-F9: names each job that failed for good with its error code, the newest first', async () => {
    startFailing(new Refusal({ kind: 'retry' }));
    await fail('first');
    await fail('second');
    await queues.queue('guard').add('guard', { v: 1, kind: 'nonsense' }, { jobId: 'forged' });
    await on?.ended('forged');
    const { total, jobs } = await failed.list(10);
    expect(jobs.map(({ failedAtMs, ...rest }) => [Math.abs(failedAtMs - Date.now()) < 60_000, rest])).toEqual(
      [
        { jobId: 'forged', code: 'JOB_REFUSED', attempts: 1, changeRequest: null },
        { jobId: 'second', code: 'REFUSAL', attempts: 2, changeRequest: OF },
        { jobId: 'first', code: 'REFUSAL', attempts: 2, changeRequest: OF },
      ].map((each) => [true, { queue: 'guard', isStale: false, ...each }]),
    );
    expect([total, (await failed.list(1)).jobs.map(({ jobId }) => jobId), (await failed.list(0)).jobs]).toEqual([
      3,
      ['forged'],
      [],
    ]);
  });

  it('calls an error without a code unexpected, and keeps none of its words', async () => {
    startFailing(new Error('the words of a stranger'));
    await fail('one');
    expect((await failed.list(1)).jobs).toMatchObject([{ code: 'UNEXPECTED' }]);
    expect((await queues.queue('guard').getJob('one'))?.failedReason).toBe('UNEXPECTED');
  });

  it('is bounded: a queue keeps its newest thousand', async () => {
    await queues.enqueue('guard', job, { jobId: 'one' });
    expect((await queues.queue('guard').getJob('one'))?.opts.removeOnFail).toEqual({
      age: QUEUES.guard.keepFailedS,
      count: 1_000,
    });
  });
});

describe('running a failed job again', () => {
  it('F-F9: queues it once, however often it is asked, with all of its attempts', async () => {
    const fails = startFailing(new Refusal({ kind: 'retry' }));
    await fail('one');
    expect(fails.calls()).toBe(2);
    const outcomes = await Promise.all([1, 2, 3, 4].map(async () => failed.runAgain('guard', 'one')));
    expect(outcomes.toSorted()).toEqual(['not_failed', 'not_failed', 'not_failed', 'queued']);
    expect(await on?.ended('one')).toBe('failed');
    expect(fails.calls()).toBe(4);
    fails.mend();
    expect(await failed.runAgain('guard', 'one')).toBe('queued');
    expect(await on?.ended('one')).toBe('completed');
    expect([fails.calls(), await failed.runAgain('guard', 'one'), (await failed.list(1)).total]).toEqual([
      5,
      'not_failed',
      0,
    ]);
  });

  it('handles a change request again that guard has set aside', async () => {
    startFailing(new Refusal({ kind: 'fail' }));
    await fail('one');
    const watch = createDeathWatch(redis, keys, 3);
    await watch.setAside(OF, 1_000);
    expect(await failed.runAgain('guard', 'one')).toBe('queued');
    expect(await watch.begin(OF, false)).toEqual({ kind: 'begun' });
  });

  it('forgets how long the job has waited in outages', async () => {
    startFailing(new Refusal({ kind: 'fail' }));
    await fail('one');
    await redis.set(keys.waited('guard.one'), '{"waitedMs":9,"tries":1,"sinceMs":1,"what":"model"}');
    expect(await failed.runAgain('guard', 'one')).toBe('queued');
    expect(await redis.exists(keys.waited('guard.one'))).toBe(0);
  });

  it('knows no job that is not there', async () => {
    startFailing(new Refusal({ kind: 'fail' }));
    await fail('one');
    // `failed` and `meta` are names of what the library keeps beside the jobs.
    for (const id of ['none', 'failed', 'meta', 'one:lock', '', '*'])
      expect([id, await failed.runAgain('guard', id), await failed.drop('guard', id)]).toEqual([
        id,
        'unknown',
        'unknown',
      ]);
  });
});

/** Puts a job among the failed ones without a worker. */
const failBare = async (name: 'review' | 'explore' | 'fix' | 'post', payload: object): Promise<void> => {
  const queue = queues.queue(name);
  await queue.add(name, payload, { jobId: 'one' });
  await redis.lrem(queue.toKey('wait'), 0, 'one');
  await redis.zadd(queue.toKey('failed'), Date.now(), 'one');
};

const BUDGET = { maxTurns: 1, maxRuntimeS: 1 };
const run = make.run({ phase: 'reviewing', planId: null });
const PAYLOADS = {
  review: { review: 1, attempt: 1, mustFinish: false, head: run.head, budget: BUDGET },
  explore: { questionId: `${run.runId}-1-1`, head: run.head, budget: BUDGET },
  fix: { review: 1, head: run.head, budget: BUDGET },
};
const of = { v: 1, changeRequest: OF, runId: run.runId };

const saveState = async (state: Parameters<typeof make.state>[0]): Promise<void> => {
  await redis.set(keys.ofChangeRequest(OF, 'state'), JSON.stringify(make.state(state)));
};

describe('a job whose change request has moved on', () => {
  it.each(['review', 'explore', 'fix'] as const)('is left alone: %s', async (name) => {
    await failBare(name, { ...of, ...PAYLOADS[name] });
    await saveState({ running: null });
    expect((await failed.list(1)).jobs).toMatchObject([{ queue: name, isStale: true }]);
    expect(await failed.runAgain(name, 'one')).toBe('stale');
    expect(await queues.queue(name).getWaitingCount()).toBe(0);
  });

  it.each(['review', 'explore'] as const)('is run again while guard still waits for it: %s', async (name) => {
    await failBare(name, { ...of, ...PAYLOADS[name] });
    await saveState({ running: run });
    expect((await failed.list(1)).jobs).toMatchObject([{ isStale: false }]);
    expect(await failed.runAgain(name, 'one')).toBe('queued');
  });

  const facts = make.facts();
  const acknowledged = buildAcknowledgePlan(
    { facts: make.changeRequest(), history: facts.history, policy: make.policy() },
    { input: make.at(run.head), noteId: null, noticeId: run.runId },
  );
  const post = async (kind: string, state: Parameters<typeof make.state>[0] | null): Promise<string> => {
    const planId = `${run.runId}-plan`;
    await redis.set(keys.plan(planId), JSON.stringify({ ...acknowledged, planId, kind }));
    await failBare('post', { ...of, planId, budget: { maxWrites: 1, maxRuntimeS: 1 } });
    if (state !== null) await saveState(state);
    return failed.runAgain('post', 'one');
  };

  it.each([
    ['review', 'stale'],
    ['announce', 'stale'],
    ['give_up', 'stale'],
    ['withdraw', 'stale'],
    ['cap', 'stale'],
    ['outage', 'stale'],
    ['status', 'queued'],
    ['acknowledge', 'queued'],
    ['closed', 'queued'],
  ])('posts nothing over what came after it: the plan "%s" is %s', async (kind, outcome) => {
    expect(await post(kind, { running: null })).toBe(outcome);
  });

  it('is posted while guard still waits for its plan', async () => {
    const waiting = make.run({ phase: 'posting', planId: `${run.runId}-plan` });
    expect(await post('review', { running: waiting })).toBe('queued');
  });

  it('is left alone when its plan is gone', async () => {
    await failBare('post', { ...of, planId: `${run.runId}-gone`, budget: { maxWrites: 1, maxRuntimeS: 1 } });
    expect(await failed.runAgain('post', 'one')).toBe('stale');
  });
});

describe('dropping a failed job', () => {
  it('F-F9: removes it, so that its id is free, and nothing that has not failed', async () => {
    startFailing(new Refusal({ kind: 'fail' }));
    await fail('one');
    expect([await failed.drop('guard', 'one'), await failed.drop('guard', 'one')]).toEqual(['dropped', 'unknown']);
    await on?.close();
    on = null;
    await queues.enqueue('guard', job, { jobId: 'one' });
    expect(await failed.drop('guard', 'one')).toBe('not_failed');
    expect(await queues.queue('guard').getWaitingCount()).toBe(1);
  });
});

describe('the counts of the queues', () => {
  it('hold each state with the time of its oldest job', async () => {
    const before = Date.now();
    startFailing(new Refusal({ kind: 'fail' }));
    await fail('ended');
    await on?.close();
    on = null;
    await queues.enqueue('guard', job, { jobId: 'ready' });
    await queues.enqueue('guard', job, { jobId: 'second', priority: 5 });
    await queues.enqueue('guard', job, { jobId: 'later', delayMs: 60_000 });
    const { states } = (await countQueues(queues)).find(({ queue }) => queue === 'guard') ?? { states: null };
    const counts = Object.entries(states ?? {}).map(([state, { count }]) => [state, count]);
    expect(Object.fromEntries(counts)).toEqual({ waiting: 2, active: 0, waiting_children: 0, delayed: 1, failed: 1 });
    const first = await queues.queue('guard').getJob('ready');
    expect([states?.waiting.sinceMs, states?.active.sinceMs]).toEqual([first?.timestamp, null]);
    expect(states?.failed.sinceMs).toBeGreaterThanOrEqual(before);
  });

  const waiting = async () => (await countQueues(queues)).find(({ queue }) => queue === 'guard')?.states.waiting;

  /** A worker takes each job once and sends it back to wait, as a review that returns from its explorers. */
  const runAndReturn = async (ids: readonly string[]): Promise<void> => {
    const queue = queues.queue('guard');
    for (const jobId of ids) await queues.enqueue('guard', job, { jobId, priority: 1 });
    const connection = redis.duplicate();
    const worker = new Worker(queue.name, null, { connection, prefix: keys.queues });
    const taken = [];
    for (const _ of ids) taken.push(await worker.getNextJob('token'));
    for (const each of taken) await each?.moveToDelayed(Date.now() + 60_000, 'token');
    for (const each of taken) await each?.promote();
    await worker.close();
    connection.disconnect();
  };

  it('do not take the time in which a job ran for time that it waited', async () => {
    await runAndReturn(['returned']);
    expect(await waiting()).toEqual({ count: 1, sinceMs: null });
    await queues.enqueue('guard', job, { jobId: 'new', priority: 2 });
    const first = await queues.queue('guard').getJob('new');
    expect(await waiting()).toEqual({ count: 2, sinceMs: first?.timestamp });
  });

  it('find a new job behind many that have run before', async () => {
    await runAndReturn(Array.from({ length: 60 }, (_, index) => `returned-${index}`));
    expect(await waiting()).toEqual({ count: 60, sinceMs: null });
    await queues.enqueue('guard', job, { jobId: 'new', priority: 2 });
    const first = await queues.queue('guard').getJob('new');
    expect(await waiting()).toEqual({ count: 61, sinceMs: first?.timestamp });
  });
});
