/**
 * Gives each label at most one finding and each finding at most one label, as many as possible, so that one finding about
 * everything does not count several times. Augmenting paths: https://en.wikipedia.org/wiki/Maximum_cardinality_matching
 */
import type { JudgedResult } from './judge.ts';

type Pair = JudgedResult['pairs'][number];

export const assign = (pairs: readonly Pair[]): readonly Pair[] => {
  const findingsOf = new Map<number, number[]>();
  for (const { golden, finding } of pairs) findingsOf.set(golden, [...(findingsOf.get(golden) ?? []), finding]);
  const takenBy = new Map<number, number>();
  const seat = (golden: number, tried: Set<number>): boolean => {
    for (const finding of findingsOf.get(golden) ?? []) {
      if (tried.has(finding)) continue;
      tried.add(finding);
      const holder = takenBy.get(finding);
      if (holder !== undefined && !seat(holder, tried)) continue;
      takenBy.set(finding, golden);
      return true;
    }
    return false;
  };
  for (const golden of findingsOf.keys()) seat(golden, new Set());
  return [...takenBy].map(([finding, golden]) => ({ golden, finding }));
};
