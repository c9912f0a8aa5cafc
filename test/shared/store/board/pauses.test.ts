import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createPauses } from '../../../../shared/store/board/pauses.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { wakeHeld } from '../../../../shared/queue/wake-held.ts';
import { useRedis } from '../../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const SHOP = { forge: 'main', projectId: 4 };
const at = (number: number) => ({ ...SHOP, number });
const BY = { atMs: 1_000, by: 'console' };
const keys = createKeys('test');

describe('paused projects', () => {
  it('are listed with who paused them, and how many change requests wait', async () => {
    const pauses = createPauses(redis, keys);
    expect(await pauses.pause({ forge: 'main', projectId: 40 }, BY)).toBe('paused');
    expect(await pauses.pause(SHOP, BY)).toBe('paused');
    expect(await pauses.pause(SHOP, { atMs: 2_000, by: 'another' })).toBe('already_paused');
    await pauses.hold(at(7), 5);
    expect(await pauses.all()).toEqual([
      { ...SHOP, ...BY, held: 1 },
      { forge: 'main', projectId: 40, ...BY, held: 0 },
    ]);
    expect([await pauses.isPaused(SHOP), await pauses.isPaused({ forge: 'other', projectId: 4 })]).toEqual([
      true,
      false,
    ]);
  });

  it('stay paused if another version wrote the entry', async () => {
    const pauses = createPauses(redis, keys);
    await redis.hset(keys.board('paused'), 'main/4', 'no JSON', 'UPPER/4', '{}');
    expect(await pauses.all()).toEqual([{ ...SHOP, atMs: 0, by: 'unknown', held: 0 }]);
    expect(await pauses.hold(at(7), 5)).toBe('held');
  });

  it('hold a change request until they continue', async () => {
    const pauses = createPauses(redis, keys);
    expect(await pauses.hold(at(7), 5)).toBe('free');
    await pauses.pause(SHOP, BY);
    expect([await pauses.hold(at(7), 9), await pauses.hold(at(7), 1)]).toEqual(['held', 'held_before']);
    await pauses.hold(at(3), 8);
    expect(await pauses.held(SHOP, 10)).toEqual([at(3), at(7)]);
    expect([await pauses.end(SHOP), await pauses.end(SHOP)]).toEqual(['continued', 'not_paused']);
    expect(await pauses.hold(at(7), 11)).toBe('free');
  });

  it('still hold what waits if they are paused again before guard has read it', async () => {
    const pauses = createPauses(redis, keys);
    await pauses.pause(SHOP, BY);
    await pauses.hold(at(7), 5);
    await pauses.end(SHOP);
    const notify = async (): Promise<void> => {
      await pauses.pause(SHOP, BY);
      expect(await pauses.hold(at(7), 9)).toBe('held_before');
    };
    await wakeHeld({ pauses, inbox: { notify }, nowMs: () => 50 }, SHOP);
    expect(await pauses.held(SHOP, 10)).toEqual([at(7)]);
  });

  it('wake guard for everything they held, and the rest after a crash', async () => {
    const pauses = createPauses(redis, keys);
    await pauses.pause(SHOP, BY);
    for (const number of [1, 2, 3]) await pauses.hold(at(number), number);
    await pauses.end(SHOP);
    const woken: number[] = [];
    const notify = async ({ number }: { readonly number: number }): Promise<void> => {
      if (number === 2 && !woken.includes(2)) {
        woken.push(2);
        throw new Error('killed');
      }
      woken.push(number);
    };
    const deps = { pauses, inbox: { notify }, nowMs: () => 50 };
    await expect(wakeHeld(deps, SHOP)).rejects.toThrow('killed');
    expect(await pauses.held(SHOP, 10)).toEqual([at(2), at(3)]);
    await wakeHeld(deps, SHOP);
    expect([woken, await pauses.held(SHOP, 10)]).toEqual([[1, 2, 2, 3], []]);
  });
});
