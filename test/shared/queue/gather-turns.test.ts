import { describe, expect, it } from 'vitest';
import { gatherTurns } from '../../../shared/queue/gather-turns.ts';

const gather = (most: number) => {
  const works: (readonly number[])[] = [];
  const double = gatherTurns(most, async (items: readonly number[]) => {
    works.push(items);
    return items.map((item) => item * 2);
  });
  return { double, works };
};

describe('the work of one turn of the event loop', () => {
  it('is done together, with a result for each item', async () => {
    const { double, works } = gather(10);
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(await double(4)).toBe(8);
    expect(works).toEqual([[1, 2, 3], [4]]);
  });

  it('is cut into parts of the most items that are allowed', async () => {
    const { double, works } = gather(2);
    expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10]);
    expect(works).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('fails for each of its items, and for no other', async () => {
    const fail = gatherTurns(2, async (items: readonly number[]) => {
      if (items.includes(1)) throw new Error('not this one');
      return items;
    });
    const results = await Promise.allSettled([1, 2, 3].map(fail));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('must give a result for each item', async () => {
    const short = gatherTurns(2, async () => [1]);
    const results = await Promise.allSettled([1, 2].map(short));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
