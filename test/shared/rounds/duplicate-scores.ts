/** How well the comparison of claims does on labelled pairs. */
import { SettingsFile } from '../../../shared/config/schema.ts';
import { type Claim, isSameClaim } from '../../../shared/rounds/duplicates/duplicates.ts';
import type { LabelledPair } from './labelled-pairs.ts';

/** `rounds.duplicate_threshold` where nobody sets it. */
export const DEFAULT_THRESHOLD = SettingsFile.shape.rounds.parse({}).duplicateThreshold;

export type Scores = {
  readonly pairs: number;
  /** Of the pairs that are called the same, the share that is. 1 when none is called so. */
  readonly precision: number;
  /** Of the pairs that are the same, the share that is called so. 1 when there is none. */
  readonly recall: number;
  /** The share of all that is called right. */
  readonly right: number;
};

export type Measuring = { readonly threshold: number; readonly known?: (claim: Claim) => Claim };

export const scoresOf = (
  pairs: readonly LabelledPair[],
  { threshold, known = (claim) => claim }: Measuring,
): Scores => {
  const judged = pairs.map((pair) => ({ pair, called: isSameClaim(pair.raised, known(pair.known), threshold) }));
  const count = (same: boolean, called: boolean): number =>
    judged.filter((each) => each.pair.same === same && each.called === called).length;
  const hits = count(true, true);
  const share = (part: number, all: number): number => (all === 0 ? 1 : part / all);
  return {
    pairs: pairs.length,
    precision: share(hits, hits + count(false, true)),
    recall: share(hits, hits + count(true, false)),
    right: share(hits + count(false, false), pairs.length),
  };
};
