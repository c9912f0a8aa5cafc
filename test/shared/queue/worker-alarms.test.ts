/** When a worker tells the operator: over a real Redis. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WorkerAlarms } from '../../../shared/queue/alarms.ts';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { OutageDecision } from '../../../shared/outage/outage.ts';
import { useRedis } from '../../support/use-redis.ts';
import { job, Refusal, type StageOptions, startStage, type WorkerStage } from './worker-stage.ts';

let url: string;
useRedis((_connection, at) => {
  url = at;
});

let told: unknown[];
let stage: WorkerStage | null = null;
beforeEach(() => {
  told = [];
});
afterEach(async () => stage?.close());

const alarms: WorkerAlarms = {
  outage: async (payload, outage, { kind }) => void told.push(['outage', payload, outage.code, kind]),
  mistake: async (payload, { code }) => void told.push(['mistake', payload, code]),
  failed: async (failure) => void told.push(failure),
};

const run = async (handle: () => Promise<void>, options: StageOptions = {}): Promise<string> => {
  const work = async () => {
    await handle();
    return { kind: 'done' } as const;
  };
  stage = startStage(url, work, { alarms, ...options });
  await stage.queues.enqueue('guard', job, { jobId: 'one' });
  return stage.ended('one');
};

const failing = (error: Error, times = Number.POSITIVE_INFINITY) => {
  let left = times;
  return async () => {
    left -= 1;
    if (left >= 0) throw error;
  };
};

const failure = (code: string) => ({ queue: 'guard', jobId: 'one', code, payload: job });

test('tells once of a job that used up its attempts', async () => {
  expect(await run(failing(new Error('odd')))).toBe('failed');
  expect(told).toEqual([failure('UNEXPECTED')]);
});

test('tells nothing of a job that succeeds in its last attempt', async () => {
  expect(await run(failing(new Error('odd'), 2))).toBe('completed');
  expect(told).toEqual([]);
});

test('tells at once of a job that no retry can help', async () => {
  expect(await run(failing(new Refusal({ kind: 'fail' })))).toBe('failed');
  expect(told).toEqual([failure('REFUSAL')]);
});

test('tells nothing of a job that lost its meaning, nor of one that has to wait', async () => {
  expect(await run(failing(new Refusal({ kind: 'drop' })))).toBe('completed');
  await stage?.close();
  expect(await run(failing(new Refusal({ kind: 'retry_after', delayMs: 1 }), 5))).toBe('completed');
  expect(told).toEqual([]);
});

test('tells of a mistake in the configuration, and not of the job that ends because of it', async () => {
  const refused = new ForgeRequestError({ code: 'FORGE_UNAUTHORISED', message: 'no', disposition: { kind: 'fail' } });
  expect(await run(failing(refused))).toBe('failed');
  expect(told).toEqual([['mistake', job, 'FORGE_UNAUTHORISED']]);
});

test('tells of each meeting with an outage, and not of the job that gave up waiting', async () => {
  const away = new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'no', disposition: { kind: 'retry' } });
  const decisions: OutageDecision[] = [
    { kind: 'wait', delayMs: 1, isNew: true, waited: { waitedMs: 1, tries: 1, sinceMs: 0 } },
    { kind: 'over' },
  ];
  const outages = { meet: async () => decisions.shift() ?? { kind: 'over' as const }, passed: async () => {} };
  expect(await run(failing(away), { outages })).toBe('failed');
  expect(told).toEqual([
    ['outage', job, 'FORGE_UNAVAILABLE', 'wait'],
    ['outage', job, 'FORGE_UNAVAILABLE', 'over'],
  ]);
});
