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

  it('does not follow an answer of Redis that took long', async () => {
    let [asked, ms] = [0, 0];
    const slow = {
      time: async () => {
        asked += 1;
        // The first answer takes no time, each later one 2.5 s.
        if (asked > 1) ms += 2_500;
        return [`${asked * 1_000}`, '500000'];
      },
    } as unknown as Redis;
    clock = await startSteadyClock(slow, { everyMs: 5, monotonicMs: () => ms });
    expect(clock.nowMs()).toBe(1_000_500);
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(2);
    expect(clock.nowMs() - ms).toBe(1_000_500);
  });

  it('takes an answer for that of the moment half way between question and answer', async () => {
    let ms = 0;
    const late = {
      time: async () => {
        ms += 2_000;
        return ['1000', '0'];
      },
    } as unknown as Redis;
    clock = await startSteadyClock(late, { everyMs: 60_000, monotonicMs: () => ms });
    expect(clock.nowMs()).toBe(1_001_000);
  });

  it('asks Redis nothing more once it is stopped', async () => {
    let asked = 0;
    const counting = {
      time: async () => {
        asked += 1;
        return ['1000', '0'];
      },
    } as unknown as Redis;
    clock = await startSteadyClock(counting, { everyMs: 5, monotonicMs: () => 0 });
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(2);
    clock.stop();
    const before = asked;
    await new Promise((elapsed) => setTimeout(elapsed, 50));
    expect(asked).toBe(before);
  });

  it('goes on while Redis does not answer', async () => {
    const away = { time: async () => redis.time() } as unknown as Redis;
    clock = await startSteadyClock(away, { everyMs: 10, monotonicMs: () => performance.now() });
    Object.assign(away, { time: async () => Promise.reject(new Error('away')) });
    const before = clock.nowMs();
    await expect.poll(() => clock.nowMs() - before, { timeout: 10_000 }).toBeGreaterThan(50);
  });
});
