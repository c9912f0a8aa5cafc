import { seededNumbers } from './bootstrap.ts';

const SEED = 1;

/** The same items every time, in their order. Larger samples contain smaller ones. */
export const sampleOf = <Item>(items: readonly Item[], count: number): readonly Item[] => {
  const next = seededNumbers(SEED);
  const ranked = items.map((item, index) => ({ item, index, rank: next() }));
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, count)
    .toSorted((one, other) => one.index - other.index)
    .map(({ item }) => item);
};
