import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createScript } from '../../../../shared/store/server/script.ts';
import { useRedis } from '../../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const callsOf = async (name: string): Promise<number> => {
  const found = new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(await redis.info('commandstats'));
  return Number(found?.[1] ?? 0);
};

test('sends the source only until Redis has the script, and again after Redis lost it', async () => {
  const script = createScript(`return KEYS[1] .. ARGV[1] .. '${Math.random()}'`);
  const before = await callsOf('eval');
  for (const value of [1, 2, 3]) expect(await script(redis, ['key'], [value])).toMatch(new RegExp(`^key${value}0`));
  expect(await callsOf('eval')).toBe(before + 1);
  await redis.script('FLUSH');
  expect(await script(redis, ['key'], [4])).toMatch(/^key40/);
  expect(await callsOf('eval')).toBe(before + 2);
});

test('a script that fails is not sent twice', async () => {
  const script = createScript("redis.call('INCR', KEYS[1]) return redis.call('HGET', KEYS[1], 'x')");
  await expect(script(redis, ['count'], [])).rejects.toThrow('WRONGTYPE');
  await expect(script(redis, ['count'], [])).rejects.toThrow('WRONGTYPE');
  expect(await redis.get('count')).toBe('2');
});
