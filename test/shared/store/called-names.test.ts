import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createCalledNames } from '../../../shared/store/called-names.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});
const stored = () => createCalledNames(redis, createKeys('fixpoint'));

test('the first names of a part stay, for this plan and this part', async () => {
  const called = stored();
  expect(await called.load('plan', 'handoff.1')).toBeNull();
  expect(await called.freeze('plan', 'handoff.1', ['ann', 'bob'])).toEqual(['ann', 'bob']);
  expect(await called.freeze('plan', 'handoff.1', ['eve'])).toEqual(['ann', 'bob']);
  expect(await called.load('plan', 'handoff.1')).toEqual(['ann', 'bob']);
  expect(await called.load('plan', 'handoff.2')).toBeNull();
  expect(await called.load('other', 'handoff.1')).toBeNull();
});

test('that nobody is called is remembered too', async () => {
  const called = stored();
  await called.freeze('quiet', 'handoff.1', []);
  expect(await called.freeze('quiet', 'handoff.1', ['ann'])).toEqual([]);
});

test('what is frozen goes after a week', async () => {
  await stored().freeze('kept', 'handoff.1', ['ann']);
  const seconds = await redis.ttl(createKeys('fixpoint').called('kept'));
  expect(seconds).toBeGreaterThan(6 * 86_400);
  expect(seconds).toBeLessThanOrEqual(7 * 86_400);
});
