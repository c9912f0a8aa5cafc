/** Who has a commit as head, for events that name the commit alone. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import { CommitSha, ForgeId } from '../../../shared/vocabulary/ids.ts';
import { createHeads } from '../../../shared/store/heads.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

const forge = ForgeId.parse('sim');
const head = CommitSha.parse('a'.repeat(40));
const of = (number: number) => ({ forge, projectId: 5, number });
const place = { forge, projectId: 5, head };

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => void (await redis.flushall()));

test('GL2: finds every change request that was seen with the head, in its project alone', async () => {
  const heads = createHeads(redis, createKeys('x'));
  for (const number of [12, 7, 7]) expect(await heads.add(of(number), head)).toBe(false);
  await heads.add({ ...of(3), projectId: 6 }, head);
  expect(await heads.find(place)).toEqual([7, 12]);
});

test('GL2: an event that came before anybody was known is made up for', async () => {
  const heads = createHeads(redis, createKeys('x'));
  expect(await heads.find(place)).toEqual([]);
  expect(await heads.add(of(7), head)).toBe(true);
  expect(await heads.find(place)).toEqual([7]);
});

test('GL2: an event about a head that is known is not made up for', async () => {
  const heads = createHeads(redis, createKeys('x'));
  await heads.add(of(7), head);
  expect(await heads.find(place)).toEqual([7]);
  expect(await heads.add(of(12), head)).toBe(false);
});

test('everything that is remembered expires', async () => {
  const heads = createHeads(redis, createKeys('x'));
  await heads.find(place);
  await heads.add(of(7), head);
  for (const key of await redis.keys('*')) expect(await redis.ttl(key)).toBeGreaterThan(0);
});
