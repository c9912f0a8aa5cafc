import { describe, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import { createKeys } from '../../../shared/store/keys.ts';
import { createReadings, type Readings } from '../../../shared/store/readings.ts';
import { useRedis } from '../../support/use-redis.ts';
import { changeRequest, comment } from '../rounds/builders.ts';

const facts = changeRequest();
const of = facts.changeRequest;
// With a field that the schema does not name.
const reading = { planId: 'p', facts: { ...facts, forkUrl: null }, comments: [comment('said')] };

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

describe('a reading that the poster hands over', () => {
  const keys = createKeys('readings');
  const readings = (): Readings => createReadings(redis, keys);

  test('F-R13: is taken once', async () => {
    await readings().hand(of, reading);
    expect([await readings().take(of), await readings().take(of)]).toEqual([reading, null]);
  });

  test('F-R13: is gone once the poster begins to write again', async () => {
    await readings().hand(of, reading);
    await readings().drop(of);
    expect(await readings().take(of)).toBeNull();
  });

  test('F-R13: lives for seconds', async () => {
    await readings().hand(of, reading);
    const left = await redis.pttl(keys.ofChangeRequest(of, 'reading'));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(10_000);
  });

  test('tells of comments on both sides of a diff', async () => {
    const places = (['old', 'new'] as const).map((side) => ({ path: 'a.ts', side, line: 3 }));
    const comments = places.map((place) => comment('said', { kind: 'inline', place }));
    await readings().hand(of, { ...reading, comments });
    expect(await readings().take(of)).toEqual({ ...reading, comments });
  });

  test('is not taken when a comment has another shape', async () => {
    const comments = [{ ...comment('said'), kind: 'whisper' }];
    await redis.set(keys.ofChangeRequest(of, 'reading'), JSON.stringify({ ...reading, comments }));
    expect(await readings().take(of)).toBeNull();
  });

  test('is not kept when it is larger than another look would cost, and not taken in another shape', async () => {
    const large = Array.from({ length: 50 }, () => comment('x'.repeat(50_000)));
    await readings().drop(of);
    await readings().hand(of, { ...reading, comments: large });
    expect(await readings().take(of)).toBeNull();
    await redis.set(keys.ofChangeRequest(of, 'reading'), JSON.stringify({ planId: 'p' }));
    expect(await readings().take(of)).toBeNull();
  });
});

describe('a reading that guard hands over with a plan', () => {
  const keys = createKeys('looks');
  const readings = (): Readings => createReadings(redis, keys);

  test('F-R13: is taken once, and for no other plan', async () => {
    const look = await readings().beginLook(of);
    await readings().handLook(of, look, reading);
    expect([await readings().takeLook(of, 'p'), await readings().takeLook(of, 'p')]).toEqual([reading, null]);
    const again = await readings().beginLook(of);
    await readings().handLook(of, again, reading);
    expect(await readings().takeLook(of, 'q')).toBeNull();
  });

  test.each([
    ['a poster has written since it was handed over', () => readings().drop(of), true],
    ['a poster has written since the look began', () => readings().drop(of), false],
    ['guard has looked again', () => readings().beginLook(of), false],
  ] as const)('F-R13: is not there when %s', async (_, happens, isHanded) => {
    const look = await readings().beginLook(of);
    if (!isHanded) await happens();
    await readings().handLook(of, look, reading);
    if (isHanded) await happens();
    expect(await readings().takeLook(of, 'p')).toBeNull();
  });

  test('F-R13: goes to the first plan of a decision alone', async () => {
    const look = await readings().beginLook(of);
    await readings().handLook(of, look, reading);
    await readings().handLook(of, look, { ...reading, planId: 'second' });
    expect(await readings().takeLook(of, 'p')).toEqual(reading);
  });

  test('F-R13: lives for seconds from when the look begins, and from when it is handed over', async () => {
    const key = keys.ofChangeRequest(of, 'look');
    const look = await readings().beginLook(of);
    const left = [await redis.pttl(key)];
    await redis.pexpire(key, 1_000);
    await readings().handLook(of, look, reading);
    left.push(await redis.pttl(key));
    for (const ms of left) {
      expect(ms).toBeGreaterThan(5_000);
      expect(ms).toBeLessThanOrEqual(10_000);
    }
  });

  test('is not kept when it is larger than another look would cost', async () => {
    const look = await readings().beginLook(of);
    const comments = Array.from({ length: 50 }, () => comment('x'.repeat(50_000)));
    await readings().handLook(of, look, { ...reading, comments });
    expect(await readings().takeLook(of, 'p')).toBeNull();
  });

  test('a look that has only begun is none', async () => {
    await readings().beginLook(of);
    expect(await readings().takeLook(of, 'p')).toBeNull();
  });
});
