import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_SHARDS, propertyRuns, readShard, shardOf, shareOf } from './deep.ts';

const DEEP = { FIXPOINT_DEEP: '1' };
const items = Array.from({ length: 100 }, (_, index) => index);

const inOrder = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b);

describe('the shares of a deep run', () => {
  it('hold every item once, each share in the order of the whole and none much larger than another', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: MOST_SHARDS }), (length, of) => {
        const all = Array.from({ length }, (_, index) => index);
        const shares = Array.from({ length: of }, (_, index) => shareOf(all, { index: index + 1, of }));
        expect(inOrder(shares.flat())).toEqual(all);
        for (const share of shares) expect(share).toEqual(inOrder(share));
        const sizes = shares.map((share) => share.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
      propertyRuns(100, 1_000),
    );
  });

  it('are the same in every run, and small and large cases are mixed', () => {
    expect(shareOf(items.slice(0, 20), { index: 1, of: 4 })).toEqual([6, 12, 13, 16, 17]);
    expect(shareOf(items.slice(0, 20), { index: 4, of: 4 })).toEqual([1, 3, 8, 9, 15]);
  });
});

describe('FIXPOINT_DEEP_SHARD', () => {
  it('leaves all where it is not set', () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    expect(shardOf('items', items, { env: {}, print })).toEqual(items);
    expect(shardOf('items', items, { env: DEEP, print })).toEqual(items);
    expect(lines).toEqual([]);
  });

  it('takes one share, and prints which', () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const share = shardOf('items', items, { env: { ...DEEP, FIXPOINT_DEEP_SHARD: '2/3' }, print });
    expect(share).toEqual(shareOf(items, { index: 2, of: 3 }));
    expect(lines).toEqual(['share 2 of 3: 33 of 100 items']);
  });

  it.each(['1/1', '1/16', '16/16', '9/10'])('may be %s', (text) => {
    const [index, of] = text.split('/').map(Number);
    expect(readShard({ ...DEEP, FIXPOINT_DEEP_SHARD: text })).toEqual({ index, of });
  });

  it.each(['', '/', '1', '0/2', '3/2', '1/0', '1/17', '01/2', '1/2/3', ' 1/2', '1/2\n', '-1/2', '1.5/2', 'a/b'])(
    'may not be %j',
    (text) => {
      expect(() => readShard({ ...DEEP, FIXPOINT_DEEP_SHARD: text })).toThrow('FIXPOINT_DEEP_SHARD must be i/n');
    },
  );

  it('may not be set in a usual run, which takes all', () => {
    expect(() => readShard({ FIXPOINT_DEEP_SHARD: '1/2' })).toThrow('no effect without FIXPOINT_DEEP=1');
  });
});
