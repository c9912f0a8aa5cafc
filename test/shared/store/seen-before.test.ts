/** Small memories: of plans, of branches, of places, and of the change requests that have a state. */
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createKeys } from '../../../shared/store/keys.ts';
import { listKnown } from '../../../shared/store/list-known.ts';
import { createSeenKeys } from '../../../shared/store/seen-keys.ts';
import { createSharedPlaces } from '../../../shared/store/shared-places.ts';
import { createSourceBranches } from '../../../shared/store/source-branches.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('x');
const of = { forge: 'sim', projectId: 5, number: 7 };
const daysLeft = async (key: string): Promise<number> => Math.ceil((await redis.ttl(key)) / (24 * 3_600));

describe('the parts of a plan that were seen', () => {
  it('are remembered for a week, for each plan by itself', async () => {
    const seen = createSeenKeys(redis, keys);
    await seen.add('plan-1', ['a', 'b']);
    await seen.add('plan-1', ['b', 'c']);
    await seen.add('plan-1', []);
    expect([await seen.load('plan-1'), await seen.load('plan-2')]).toEqual([new Set(['a', 'b', 'c']), new Set()]);
    expect(await daysLeft(keys.seen('plan-1'))).toBe(7);
  });
});

describe('the source branch of a change request', () => {
  it('is the one that was read last, for a month', async () => {
    const branches = createSourceBranches(redis, keys);
    expect(await branches.load(of)).toBeNull();
    await branches.save(of, 'feature');
    await branches.save(of, 'fix/feature');
    expect(await branches.load(of)).toBe('fix/feature');
    expect(await branches.load({ ...of, number: 8 })).toBeNull();
    expect(await daysLeft(keys.ofChangeRequest(of, 'source-branch'))).toBe(30);
  });

  it('is forgotten when the forge no longer names one', async () => {
    const branches = createSourceBranches(redis, keys);
    await branches.save(of, 'feature');
    await branches.save(of, '');
    expect(await branches.load(of)).toBeNull();
  });
});

describe('a place that several change requests read', () => {
  it('is marked for 90 days', async () => {
    const places = createSharedPlaces(redis, keys);
    const place = { forge: 'sim', projectId: 5, head: CommitSha.parse('a'.repeat(40)) };
    expect(await places.has(place)).toBe(false);
    await places.mark(place);
    expect([await places.has(place), await places.has({ ...place, projectId: 6 })]).toEqual([true, false]);
    expect(await daysLeft(keys.ofPlace(place, 'shared'))).toBe(90);
  });
});

describe('listKnown', () => {
  const never = new AbortController().signal;

  it('lists every change request with a state, in the order of forge, project and number', async () => {
    const all = [
      { forge: 'alpha', projectId: 2, number: 10 },
      { forge: 'alpha', projectId: 10, number: 2 },
      { forge: 'alpha', projectId: 10, number: 10 },
      { forge: 'beta', projectId: 1, number: 1 },
    ];
    for (const each of all.toReversed()) await redis.set(keys.ofChangeRequest(each, 'state'), '{}');
    await redis.set(keys.ofChangeRequest(of, 'lock'), '1');
    await redis.set(createKeys('other').ofChangeRequest(of, 'state'), '{}');
    await redis.set(`${keys.queues}:cr:no.such:state`, '{}');
    expect(await listKnown(redis, keys, never)).toEqual(all);
  });

  it('lists more than one page of keys', async () => {
    const all = Array.from({ length: 1_200 }, (_, index) => ({ ...of, number: index + 1 }));
    await redis.mset(Object.fromEntries(all.map((each) => [keys.ofChangeRequest(each, 'state'), '{}'])));
    expect(await listKnown(redis, keys, never)).toEqual(all);
  });

  it('ends when it is aborted', async () => {
    await expect(listKnown(redis, keys, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
