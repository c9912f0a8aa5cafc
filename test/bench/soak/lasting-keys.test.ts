import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createQueues } from '../../../shared/queue/enqueue.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { useRedis } from '../../support/use-redis.ts';
import { faultsOf, groupLastingKeys } from './lasting-keys.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('x');
const of = { forge: 'sim', projectId: 5, number: 7 };

const faults = async (): Promise<readonly string[]> => faultsOf(await groupLastingKeys(redis, 'x'));

test('a key of a store that must expire is a fault only without an expiry', async () => {
  await redis.set(keys.identity('sim'), 'account');
  await redis.set(keys.plan('p1'), 'plan', 'EX', 60);
  expect(await faults()).toEqual([]);
  await redis.persist(keys.plan('p1'));
  await redis.set(keys.plan('p2'), 'plan');
  expect(await faults()).toEqual([expect.stringMatching(/^2 × plan:\* without an expiry, such as \{x\}:plan:p[12]$/)]);
});

test('a job may last while it is in a state, and is a fault once it is in none', async () => {
  const queues = createQueues(redis, keys.queues);
  await queues.enqueue('guard', { v: 1, kind: 'wake', changeRequest: of }, { jobId: 'wake-1' });
  await queues.enqueue('guard', { v: 1, kind: 'wake', changeRequest: of }, { jobId: 'wake-2', delayMs: 60_000 });
  await queues.close();
  const groups = await groupLastingKeys(redis, 'x');
  expect(groups.find(({ kind }) => kind === 'queue: job')).toMatchObject({ count: 2 });
  expect(faultsOf(groups)).toEqual([]);
  await redis.del('{x}:guard:wait');
  expect(await faults()).toEqual(['1 × queue: job, of a job in no state without an expiry, such as {x}:guard:wake-1']);
});
