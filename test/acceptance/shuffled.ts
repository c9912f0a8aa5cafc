import fc from 'fast-check';

export const shuffled = <Item>(items: readonly Item[], seed: number): readonly Item[] =>
  fc.sample(fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length }), {
    numRuns: 1,
    seed,
  })[0] ?? [];
