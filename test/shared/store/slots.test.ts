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

  const NOW = 1_800_000_000_000;
  const one = { limit: 1, atMs: NOW };

  it('let as many run as the limit says, and are offered by age', async () => {
    const slots = createSlots(redis, keys);
    expect(await slots.acquire(cr(1), 1, 10)).toBe(true);
    expect(await slots.acquire(cr(3), 1, 20)).toBe(false);
    expect(await slots.acquire(cr(2), 1, 30)).toBe(false);
    expect(await slots.release(cr(1), one)).toEqual([cr(3)]);
    expect(await slots.acquire(cr(3), 1, 40)).toBe(true);
    expect(await slots.release(cr(3), one)).toEqual([cr(2)]);
    expect(await slots.release(cr(2), one)).toEqual([]);
  });

  it('F-E11: are offered to whoever waits since the earliest time that it has named', async () => {
    const slots = createSlots(redis, keys);
    await slots.acquire(cr(1), 1, 10);
    await slots.acquire(cr(2), 1, 3_020);
    await slots.acquire(cr(3), 1, 3_010);
    await slots.acquire(cr(2), 1, 30);
    await slots.acquire(cr(2), 1, 9_000);
    expect(await slots.release(cr(1), one)).toEqual([cr(2)]);
  });

  it('F-T9: forget who leaves while it waits', async () => {
    const slots = createSlots(redis, keys);
    await slots.acquire(cr(1), 1, 10);
    await slots.acquire(cr(2), 1, 20);
    await slots.acquire(cr(3), 1, 30);
    expect(await slots.release(cr(2), one)).toEqual([]);
    expect(await slots.release(cr(1), one)).toEqual([cr(3)]);
    expect(await slots.release(cr(3), one)).toEqual([]);
  });

  it('give one holder one slot, however often it asks or gives back', async () => {
    const slots = createSlots(redis, keys);
    expect(await slots.acquire(cr(1), 1, 10)).toBe(true);
    expect(await slots.acquire(cr(1), 1, 11)).toBe(true);
    await slots.acquire(cr(2), 1, 20);
    await slots.acquire(cr(3), 1, 30);
    expect(await slots.release(cr(1), one)).toEqual([cr(2)]);
    expect(await slots.running('main', 1)).toEqual([]);
  });

  it('lose nobody to whom a slot was offered and who was not woken, and offer it to the others first', async () => {
    const slots = createSlots(redis, keys);
    await slots.acquire(cr(1), 1, 10);
    await slots.acquire(cr(2), 1, 20);
    await slots.acquire(cr(3), 1, 30);
    const offered: number[] = [];
    // An effect that is carried out again after a crash.
    for (const atMs of [NOW, NOW + 1, NOW + 2, NOW + 3])
      offered.push(...(await slots.release(cr(1), { limit: 1, atMs })).map(({ number }) => number));
    expect(offered).toEqual([2, 3, 2, 3]);
  });

  it('forget the offer of whoever asks again, but not its place behind those that asked before', async () => {
    const slots = createSlots(redis, keys);
    await slots.acquire(cr(1), 1, 10);
    await slots.acquire(cr(2), 1, NOW);
    await slots.acquire(cr(3), 1, NOW + 10);
    expect(await slots.release(cr(1), { limit: 1, atMs: NOW + 15 })).toEqual([cr(2)]);
    await slots.acquire(cr(4), 1, NOW + 20);
    expect(await slots.acquire(cr(2), 1, NOW + 30)).toBe(false);
    expect(await slots.release(cr(4), { limit: 1, atMs: NOW + 40 })).toEqual([cr(3)]);
    expect(await slots.release(cr(3), { limit: 1, atMs: NOW + 50 })).toEqual([cr(2)]);
  });

  it('are offered to as many as there are free slots, and none beyond the limit', async () => {
    const slots = createSlots(redis, keys);
    const project = { forge: 'main', projectId: 1 };
    for (const number of [1, 2, 3, 4, 5]) await slots.acquire(cr(number), 2, number * 10);
    expect(await slots.offerFree(project, { limit: 2, atMs: NOW })).toEqual([]);
    expect(await slots.offerFree(project, { limit: 4, atMs: NOW })).toEqual([cr(3), cr(4)]);
    expect(await slots.release(cr(1), { limit: 2, atMs: NOW + 1 })).toEqual([cr(5)]);
    expect(await slots.release(cr(2), { limit: 2, atMs: NOW + 2 })).toHaveLength(2);
    for (const number of [3, 4, 5]) await slots.release(cr(number), { limit: 2, atMs: NOW + 3 });
    expect(await slots.offerFree(project, { limit: 9, atMs: NOW + 4 })).toEqual([]);
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
