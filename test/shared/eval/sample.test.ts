import { expect, test } from 'vitest';
import { sampleOf } from '../../../shared/eval/sample.ts';

const ITEMS = Array.from({ length: 100 }, (_, index) => index);

test('a sample is the same every time, in order, and part of every larger one', () => {
  const small = sampleOf(ITEMS, 10);
  expect(small).toEqual(sampleOf(ITEMS, 10));
  expect(small).toHaveLength(10);
  expect(small).toEqual(small.toSorted((one, other) => one - other));
  const large = new Set(sampleOf(ITEMS, 20));
  expect(small.filter((item) => !large.has(item))).toEqual([]);
  expect(small).not.toEqual(ITEMS.slice(0, 10));
});

test('a sample of more than there is holds everything', () => {
  expect(sampleOf(ITEMS, 1_000)).toEqual(ITEMS);
});
