import { describe, expect, it } from 'vitest';
import type { Redis } from 'ioredis';
import { emptyState } from '../../../shared/rounds/model/state.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { acquireLease, type LeaseRequest, releaseLease, renewLease, withLease } from '../../../shared/store/lease.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const of = { forge: 'main', projectId: 1, number: 2 };
const keys = createKeys('test');
const request = (nonce: string, ttlMs = 10_000): LeaseRequest => ({
  key: keys.ofChangeRequest(of, 'lock'),
  fenceKey: keys.ofChangeRequest(of, 'fence'),
  ttlMs,
  nonce,
});

/** As if the time of the lease had run out while its holder slept. */
const expire = async (): Promise<void> => {
  await redis.del(keys.ofChangeRequest(of, 'lock'));
};

const storeMs = async (): Promise<number> => {
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
  return seconds * 1000 + micros / 1000;
};

describe('a lease', () => {
  it('is held by one at a time, with a number that only rises', async () => {
    const first = await acquireLease(redis, request('a'));
    expect(await acquireLease(redis, request('b'))).toBeNull();
    if (first === null) throw new Error('the first one must get it');
    await releaseLease(redis, first);
    const second = await acquireLease(redis, request('b'));
    expect([first.fence, second?.fence]).toEqual([1, 2]);
  });

  it('Q3: lets a holder that slept through it write nothing any more', async () => {
    const states = createGuardStates(redis, keys);
    const slept = await acquireLease(redis, request('slept'));
    if (slept === null) throw new Error('it must get it');
    await states.save(of, { ...emptyState(), reviewsDone: 1 }, slept);
    await expire();
    const awake = await acquireLease(redis, request('awake'));
    if (awake === null) throw new Error('it must get it');
    await expect(states.save(of, { ...emptyState(), reviewsDone: 9 }, slept)).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    await expect(renewLease(redis, slept, 1_000)).rejects.toMatchObject({
      code: 'LEASE_LOST',
      message: expect.stringContaining('lock expired'),
      disposition: { kind: 'retry' },
      fields: { key: slept.key },
    });
    await releaseLease(redis, slept);
    await states.save(of, { ...emptyState(), reviewsDone: 2 }, awake);
    expect((await states.load(of))?.reviewsDone).toBe(2);
  });

  it('is not waited for: the work of somebody who comes second is not begun', async () => {
    const begun: string[] = [];
    const second = withLease(redis, request('a'), new AbortController().signal, async () => {
      begun.push('first');
      return withLease(redis, request('b'), new AbortController().signal, async () => void begun.push('second'));
    });
    expect(await second).toEqual({ result: null });
    expect(begun).toEqual(['first']);
  });

  it('aborts the work of a holder that lost it', async () => {
    const outcome = withLease(redis, request('a', 90), new AbortController().signal, async (_lease, signal) => {
      await expire();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return (signal.reason as { code?: string }).code;
    });
    expect(await outcome).toEqual({ result: 'LEASE_LOST' });
  });

  it('F-T8: stays with its holder while the work takes longer than its time to live', async () => {
    const ttlMs = 600;
    const outcome = await withLease(
      redis,
      request('a', ttlMs),
      new AbortController().signal,
      async (_lease, signal) => {
        const others = [];
        const begun = await storeMs();
        while ((await storeMs()) - begun < 2.5 * ttlMs) others.push(await acquireLease(redis, request('b', ttlMs)));
        return { stolen: others.filter((other) => other !== null), aborted: signal.aborted };
      },
    );
    expect(outcome).toEqual({ result: { stolen: [], aborted: false } });
  });

  it('is free again after the work, also when the work fails', async () => {
    await expect(
      withLease(redis, request('a'), new AbortController().signal, async () => {
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
    expect(await acquireLease(redis, request('b'))).not.toBeNull();
  });

  it('forgets a state of a shape that it does not know', async () => {
    await redis.set(keys.ofChangeRequest(of, 'state'), JSON.stringify({ v: 99 }));
    const dropped: unknown[] = [];
    expect(await createGuardStates(redis, keys, (one) => dropped.push(one)).load(of)).toBeNull();
    expect(dropped).toEqual([of]);
  });
});
