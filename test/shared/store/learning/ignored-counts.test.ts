import type { Redis } from 'ioredis';
import { beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../../../shared/store/keys.ts';
import { createIgnoredCounts, MAX_COUNTED_ENTRIES } from '../../../../shared/store/learning/ignored-counts.ts';
import { useRedis } from '../../../support/use-redis.ts';
import { runId } from '../../rounds/builders.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});
const keys = createKeys('test');
const PROJECT = { forge: 'main', projectId: 4 };
const counts = () => createIgnoredCounts(redis, keys);
beforeEach(async () => {
  await redis.del(keys.ofProject('main', 4, 'ignored'));
});

const silenced = (...entries: readonly (string | undefined)[]) => entries.map((entry) => ({ entry }));

test('each review adds what it did not say, by entry', async () => {
  await counts().add(PROJECT, { runId: runId('a1'), dropped: silenced('one', 'two', undefined, 'one'), atMs: 100 });
  await counts().add(PROJECT, { runId: runId('a2'), dropped: silenced('one'), atMs: 1_790_000_000_000 });
  expect(Object.fromEntries(await counts().load(PROJECT))).toEqual({
    one: { findings: 3, lastAtMs: 1_790_000_000_000 },
    two: { findings: 1, lastAtMs: 100 },
  });
  expect(await counts().load({ forge: 'main', projectId: 5 })).toEqual(new Map());
});

test('a review counts once, however often it is repeated, also at the same time', async () => {
  const review = { runId: runId('b1'), dropped: silenced('one'), atMs: 100 };
  await Promise.all([1, 2, 3].map(async () => counts().add(PROJECT, review)));
  expect(await counts().load(PROJECT)).toEqual(new Map([['one', { findings: 1, lastAtMs: 100 }]]));
});

test('a review that silenced nothing writes nothing', async () => {
  await counts().add(PROJECT, { runId: runId('c1'), dropped: silenced(undefined), atMs: 100 });
  expect(await redis.exists(keys.ofProject('main', 4, 'ignored'), keys.ofRun(runId('c1'), 'ignored'))).toBe(0);
});

test('the entries that were used last are kept, and the keys expire', async () => {
  const many = Array.from({ length: MAX_COUNTED_ENTRIES }, (_, index) => `entry-${index}`);
  await counts().add(PROJECT, { runId: runId('d1'), dropped: silenced('old', 'kept'), atMs: 100 });
  await counts().add(PROJECT, { runId: runId('d2'), dropped: silenced('kept'), atMs: 200 });
  await counts().add(PROJECT, { runId: runId('d3'), dropped: silenced(...many.slice(1)), atMs: 150 });
  const all = await counts().load(PROJECT);
  expect(all.size).toBe(MAX_COUNTED_ENTRIES);
  expect(all.has('old')).toBe(false);
  expect(all.get('kept')).toEqual({ findings: 2, lastAtMs: 200 });
  expect(await redis.ttl(keys.ofProject('main', 4, 'ignored'))).toBeGreaterThan(390 * 24 * 3600);
  expect(await redis.ttl(keys.ofRun(runId('d3'), 'ignored'))).toBeGreaterThan(0);
});
