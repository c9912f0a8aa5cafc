import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import {
  createDecisions,
  DECISIONS_KEPT_DAYS,
  type DecisionRecord,
  KEPT_DECISIONS,
} from '../../../shared/store/decisions.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('x');
const of = { forge: 'sim', projectId: 5, number: 7 };
const recordOf = (atMs: number): DecisionRecord => ({ atMs, effect: 'run', reason: 'x', head: null, events: ['e'] });
const records = (count: number): readonly DecisionRecord[] =>
  Array.from({ length: count }, (_, index) => recordOf(index));

describe('the decisions about a change request', () => {
  it('are listed in their order, each change request by itself', async () => {
    const decisions = createDecisions(redis, keys);
    await decisions.append(of, [recordOf(1), recordOf(2)]);
    await decisions.append({ ...of, number: 8 }, [recordOf(9)]);
    await decisions.append(of, [recordOf(3)]);
    const all = [recordOf(1), recordOf(2), recordOf(3)];
    expect(await decisions.list(of)).toEqual(all);
    expect(await decisions.load(of)).toEqual({ records: all, olderGone: false });
  });

  it('are none until something is decided', async () => {
    const decisions = createDecisions(redis, keys);
    await decisions.append(of, []);
    expect(await decisions.load(of)).toEqual({ records: [], olderGone: false });
  });

  it.each([
    ['as many as are kept are all there', KEPT_DECISIONS, 0, false],
    ['one more: the oldest is gone', KEPT_DECISIONS + 1, 1, true],
    ['many more: the older ones are gone', KEPT_DECISIONS + 20, 20, true],
  ])('%s', async (_name, count, gone, olderGone) => {
    const decisions = createDecisions(redis, keys);
    const all = records(count);
    await decisions.append(of, all.slice(0, 10));
    await decisions.append(of, all.slice(10));
    expect(await decisions.load(of)).toEqual({ records: all.slice(gone), olderGone });
    expect(await redis.llen(keys.ofChangeRequest(of, 'decisions'))).toBeLessThanOrEqual(KEPT_DECISIONS + 1);
  });

  it('are kept for days after the newest one', async () => {
    await createDecisions(redis, keys).append(of, [recordOf(1)]);
    const days = (await redis.ttl(keys.ofChangeRequest(of, 'decisions'))) / (24 * 3_600);
    expect(Math.ceil(days)).toBe(DECISIONS_KEPT_DAYS);
  });
});
