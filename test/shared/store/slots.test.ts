import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createKeys } from '../../../shared/store/keys.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('test');

describe('the slots of a project', () => {
  const cr = (number: number) => ({ forge: 'main', projectId: 1, number });

  it('let as many run as the limit says, and hand on by age', async () => {
    const slots = createSlots(redis, keys);
    expect(await slots.acquire(cr(1), 1, 10)).toBe(true);
    expect(await slots.acquire(cr(3), 1, 20)).toBe(false);
    expect(await slots.acquire(cr(2), 1, 30)).toBe(false);
    expect(await slots.release(cr(1))).toEqual(cr(3));
    expect(await slots.acquire(cr(3), 1, 40)).toBe(true);
    expect(await slots.release(cr(3))).toEqual(cr(2));
    expect(await slots.release(cr(2))).toBeNull();
  });

  it('F-E11: hand on to whoever waits since the earliest time that it has named', async () => {
    const slots = createSlots(redis, keys);
    await slots.acquire(cr(1), 1, 10);
    await slots.acquire(cr(2), 1, 3_020);
    await slots.acquire(cr(3), 1, 3_010);
    await slots.acquire(cr(2), 1, 30);
    await slots.acquire(cr(2), 1, 9_000);
    expect(await slots.release(cr(1))).toEqual(cr(2));
  });

  it('F-T9: forget who leaves while it waits', async () => {
    const slots = createSlots(redis, keys);
    await slots.acquire(cr(1), 1, 10);
    await slots.acquire(cr(2), 1, 20);
    await slots.acquire(cr(3), 1, 30);
    expect(await slots.release(cr(2))).toBeNull();
    expect(await slots.release(cr(1))).toEqual(cr(3));
  });

  it('give one holder one slot, however often it asks or gives back', async () => {
    const slots = createSlots(redis, keys);
    expect(await slots.acquire(cr(1), 1, 10)).toBe(true);
    expect(await slots.acquire(cr(1), 1, 11)).toBe(true);
    await slots.acquire(cr(2), 1, 20);
    await slots.acquire(cr(3), 1, 30);
    expect(await slots.release(cr(1))).toEqual(cr(2));
    // A command that is carried out again after a crash.
    expect(await slots.release(cr(1))).toBeNull();
    expect(await slots.running('main', 1)).toEqual([]);
    expect(await slots.nextWaiting('main', 1, 1)).toEqual(cr(3));
  });

  it('offer a free slot to whoever waits, and none beyond the limit', async () => {
    const slots = createSlots(redis, keys);
    await slots.acquire(cr(1), 1, 10);
    await slots.acquire(cr(2), 1, 20);
    expect(await slots.nextWaiting('main', 1, 1)).toBeNull();
    expect(await slots.nextWaiting('main', 1, 2)).toEqual(cr(2));
    expect(await slots.nextWaiting('main', 1, 2)).toBeNull();
  });

  it('belong to one project of one forge', async () => {
    const slots = createSlots(redis, keys);
    expect(await slots.acquire(cr(1), 1, 10)).toBe(true);
    expect(await slots.acquire({ ...cr(2), projectId: 2 }, 1, 10)).toBe(true);
    expect(await slots.acquire({ ...cr(3), forge: 'other' }, 1, 10)).toBe(true);
    expect(await slots.running('main', 1)).toEqual([1]);
  });

  it('are remembered for a month after the newest change', async () => {
    const slots = createSlots(redis, keys);
    const [running, waiting] = [keys.ofProject('main', 1, 'running'), keys.ofProject('main', 1, 'waiting')];
    const daysLeft = async (key: string): Promise<number> => Math.ceil((await redis.ttl(key)) / (24 * 3_600));
    await slots.acquire(cr(1), 1, 10);
    expect(await daysLeft(running)).toBe(30);
    await redis.expire(running, 10);
    await slots.acquire(cr(2), 1, 20);
    expect([await daysLeft(running), await daysLeft(waiting)]).toEqual([30, 30]);
    await redis.expire(running, 10);
    await slots.acquire(cr(1), 1, 30);
    expect(await daysLeft(running)).toBe(30);
  });
});
