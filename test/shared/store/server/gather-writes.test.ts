import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { countWrites } from '../../../support/count-writes.ts';
import { startRedis } from '../../../support/redis.ts';
import { useRedis } from '../../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const readsOf = async (): Promise<number> => Number(/total_reads_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);

test('commands of one turn of the event loop are one write, in their order', async () => {
  const before = await readsOf();
  const [, , , , answer] = await Promise.all([
    redis.set('key', 'one'),
    redis.append('key', ' two'),
    redis.append('key', ' three'),
    redis.multi().append('key', ' four').append('key', ' five').exec(),
    redis.get('key'),
  ]);
  expect(answer).toBe('one two three four five');
  // One read for all of them, and one for each question.
  expect(await readsOf()).toBeLessThanOrEqual(before + 2);
});

test('many commands are several writes, so that Redis begins with the first meanwhile', async () => {
  let numbers: readonly number[] = [];
  const writes = await countWrites(redis, async () => {
    numbers = await Promise.all(Array.from({ length: 160 }, async () => redis.incr('count')));
  });
  expect(numbers).toEqual(Array.from({ length: 160 }, (_, index) => index + 1));
  expect(writes).toBe(10);
});

test('commands that were gathered while the connection broke are sent after it is back', async () => {
  const server = await startRedis();
  const own = connectRedis(server.url, 'worker');
  try {
    await own.set('key', '1');
    own.stream.destroy();
    const gathered = [own.incr('key'), own.incr('key')];
    expect(await Promise.all(gathered)).toEqual([2, 3]);
  } finally {
    own.disconnect();
    await server.stop();
  }
});
