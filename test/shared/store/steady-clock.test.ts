import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Redis } from 'ioredis';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startSteadyClock, type SteadyClock, useAsProcessClock } from '../../../shared/store/steady-clock.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

const HOUR_MS = 3_600_000;

let server: TestRedis;
let redis: Redis;
let clock: SteadyClock;
const machineNow = Date.now;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});
afterEach(() => {
  clock.stop();
  Date.now = machineNow;
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const redisNowMs = async (): Promise<number> => {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Number(micros) / 1000;
};

describe('F-E7: the clock of waits', () => {
  it.each([-HOUR_MS, HOUR_MS])('does not notice that the clock of its machine jumps by %i ms', async (jumpMs) => {
    clock = await startSteadyClock(redis);
    Date.now = () => machineNow() + jumpMs;
    expect(Math.abs(clock.nowMs() - (await redisNowMs()))).toBeLessThan(1_000);
    useAsProcessClock(clock);
    expect(Math.abs(Date.now() - (await redisNowMs()))).toBeLessThan(1_000);
  });

  it('is the same in a process that starts with a wrong clock', async () => {
    Date.now = () => machineNow() - HOUR_MS;
    clock = await startSteadyClock(redis);
    expect(Math.abs(clock.nowMs() - (await redisNowMs()))).toBeLessThan(1_000);
  });

  it('follows Redis when its own monotonic clock drifts', async () => {
    let driftMs = 0;
    clock = await startSteadyClock(redis, { everyMs: 20, monotonicMs: () => performance.now() + driftMs });
    driftMs = 60_000;
    const off = async (): Promise<number> => Math.abs(clock.nowMs() - (await redisNowMs()));
    await expect.poll(off, { timeout: 10_000 }).toBeLessThan(1_000);
  });

  it('goes on while Redis does not answer', async () => {
    const away = { time: async () => redis.time() } as unknown as Redis;
    clock = await startSteadyClock(away, { everyMs: 10, monotonicMs: () => performance.now() });
    Object.assign(away, { time: async () => Promise.reject(new Error('away')) });
    const before = clock.nowMs();
    await expect.poll(() => clock.nowMs() - before, { timeout: 10_000 }).toBeGreaterThan(50);
  });
});
