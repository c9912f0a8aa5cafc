import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createDeathWatch, forgetDeathsOf } from '../../../shared/queue/death-watch.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('test');
const OF = { forge: 'main', projectId: 1, number: 2 };
const OTHER = { ...OF, number: 3 };
const KEY = keys.ofChangeRequest(OF, 'deaths');
const WEEK_S = 7 * 24 * 3600;

const watch = () => createDeathWatch(redis, keys, 3);

/** Work that never ends, as when the process is killed. */
const die = async (times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) await watch().begin(OF, true);
};

describe('work on a change request', () => {
  it('is counted from its beginning to its end, and leaves nothing', async () => {
    expect(await watch().begin(OF, false)).toEqual({ kind: 'begun' });
    expect(await redis.ttl(KEY)).toBeGreaterThan(WEEK_S - 60);
    await watch().end(OF);
    expect(await redis.exists(KEY)).toBe(0);
  });

  it('begins alone after a death, without being counted before that', async () => {
    await die(1);
    expect([await watch().begin(OF, false), await watch().begin(OF, false)]).toEqual(
      Array.from({ length: 2 }, () => ({ kind: 'suspect' })),
    );
    expect(await watch().begin(OTHER, false)).toEqual({ kind: 'begun' });
    expect(await watch().begin(OF, true)).toEqual({ kind: 'begun' });
    await watch().end(OF);
    expect(await watch().begin(OF, false)).toEqual({ kind: 'begun' });
  });

  it('is deadly after three deaths, until somebody forgets them', async () => {
    await die(3);
    expect(await watch().begin(OF, true)).toEqual({ kind: 'deadly', deaths: 3 });
    expect(await watch().begin(OF, false)).toEqual({ kind: 'deadly', deaths: 3 });
    await forgetDeathsOf(redis, keys, OF);
    expect(await watch().begin(OF, false)).toEqual({ kind: 'begun' });
  });
});

describe('a change request that is set aside', () => {
  it('remembers since when, and for which head that was told', async () => {
    await die(3);
    expect([await watch().setAside(OF, 1_000), await watch().setAside(OF, 2_000)]).toEqual([true, false]);
    expect(await watch().begin(OF, false)).toEqual({ kind: 'aside', aside: { atMs: 1_000, told: null } });
    await watch().noteTold(OF, 'abc');
    await watch().end(OF);
    expect(await watch().begin(OF, false)).toEqual({ kind: 'aside', aside: { atMs: 1_000, told: 'abc' } });
  });

  it('is silent if even telling it takes down three processes', async () => {
    await watch().setAside(OF, 1_000);
    await die(3);
    expect(await watch().begin(OF, false)).toEqual({ kind: 'silent' });
  });

  it('is tried again after a week, however often its events wake guard', async () => {
    await watch().setAside(OF, 1_000);
    await redis.expire(KEY, 60);
    await watch().begin(OF, false);
    await watch().end(OF);
    await watch().noteTold(OF, 'abc');
    expect(await redis.ttl(KEY)).toBeLessThanOrEqual(60);
  });

  it('is not set aside again by a process that is late', async () => {
    await watch().setAside(OF, 1_000);
    await forgetDeathsOf(redis, keys, OF);
    await watch().noteTold(OF, 'abc');
    expect(await redis.exists(KEY)).toBe(0);
  });
});
