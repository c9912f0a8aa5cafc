import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createEpisodes } from '../../../shared/store/episodes.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});
const keys = createKeys('test');

test('everybody who meets an episode names its beginning, whoever came first', async () => {
  const episodes = createEpisodes(redis, keys);
  const met = await Promise.all([100, 200, 300].map(async (nowMs) => episodes.meet('model', nowMs, 60)));
  expect(met).toEqual([100, 100, 100]);
  expect(await episodes.meet('disk', 400, 60)).toBe(400);
});

test('an episode goes on while somebody meets it, and not beyond the quiet time', async () => {
  const episodes = createEpisodes(redis, keys);
  await episodes.meet('model', 100, 60);
  await redis.expire(keys.episode('model'), 5);
  await episodes.meet('model', 200, 60);
  expect(await redis.ttl(keys.episode('model'))).toBeGreaterThan(50);
});

test('after its end the next one begins', async () => {
  const episodes = createEpisodes(redis, keys);
  await episodes.meet('model', 100, 60);
  await episodes.end('model');
  expect(await episodes.meet('model', 900, 60)).toBe(900);
});
