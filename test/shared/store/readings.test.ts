import { describe, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import { createKeys } from '../../../shared/store/keys.ts';
import { createReadings } from '../../../shared/store/readings.ts';
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
  const readings = () => createReadings(redis, keys);

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

  test('is not kept when it is larger than another look would cost, and not taken in another shape', async () => {
    const large = Array.from({ length: 50 }, () => comment('x'.repeat(50_000)));
    await readings().drop(of);
    await readings().hand(of, { ...reading, comments: large });
    expect(await readings().take(of)).toBeNull();
    await redis.set(keys.ofChangeRequest(of, 'reading'), JSON.stringify({ planId: 'p' }));
    expect(await readings().take(of)).toBeNull();
  });
});
