import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisCheck } from '../../../shared/runtime/redis-check.ts';
import { connectRedis, type RedisRole } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

let server: TestRedis;
let admin: Redis;

beforeAll(async () => {
  server = await startRedis();
  admin = connectRedis(server.url, 'worker');
});
afterAll(async () => {
  admin?.disconnect();
  await server?.stop();
});

const never = new AbortController().signal;

describe('a readiness check', () => {
  it.each<RedisRole>(['worker', 'producer'])(
    'F-E3: is not ready while Redis accepts no writes, and is again afterwards, on a connection of a %s',
    async (role) => {
      const redis = connectRedis(server.url, role);
      const check = createRedisCheck(redis, '{fixpoint}:ready');
      try {
        await expect.poll(async () => check(never)).toEqual([]);
        await admin.replicaof('127.0.0.1', '1');
        // Its connection is made anew again and again: some of the time there is none.
        await expect
          .poll(async () => check(never), { timeout: 10_000 })
          .toEqual([expect.stringMatching(/^Redis (?:accepts no writes|is not connected|does not answer)/)]);
        await admin.replicaof('NO', 'ONE');
        await expect.poll(async () => check(never), { timeout: 10_000 }).toEqual([]);
        expect(await admin.ttl('{fixpoint}:ready')).toBeGreaterThan(0);
      } finally {
        redis.disconnect();
      }
    },
    30_000,
  );

  it('F-E3: keeps one write under way, however often it is asked', async () => {
    let writes = 0;
    const silent = { status: 'ready', set: async () => new Promise<never>(() => void (writes += 1)) } as const;
    const check = createRedisCheck(silent, 'key');
    const asked = [check(never), check(never)];
    await pause(10);
    expect(await Promise.all(asked)).toEqual([['Redis accepts no writes'], ['Redis accepts no writes']]);
    await check(never);
    expect(writes).toBe(1);
  });
});
