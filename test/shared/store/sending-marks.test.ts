import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createKeys } from '../../../shared/store/keys.ts';
import { createSendingMarks } from '../../../shared/store/sending-marks.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});
const keys = createKeys('test');

test('of all that begin one message, one sends it', async () => {
  const marks = createSendingMarks(redis, keys);
  const begun = await Promise.all([1, 2, 3].map(async () => marks.begin('a')));
  expect(begun.toSorted()).toEqual(['begun', 'unknown', 'unknown']);
  expect(await marks.begin('b')).toBe('begun');
});

test('a message that surely did not arrive may be begun again', async () => {
  const marks = createSendingMarks(redis, keys);
  await marks.begin('a');
  await marks.clear('a');
  expect(await marks.begin('a')).toBe('begun');
});

test('a message that was sent is known as sent, for longer than an event is tried', async () => {
  const marks = createSendingMarks(redis, keys);
  await marks.begin('a');
  await marks.end('a');
  expect(await marks.begin('a')).toBe('sent');
  const ttls = await Promise.all(['a'].map(async (id) => redis.ttl(keys.sending(id))));
  expect(ttls[0]).toBeGreaterThan(3 * 24 * 3_600);
});
