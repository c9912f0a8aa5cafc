/**
 * Is a new claim one that was made before? Same file, overlapping place, same cited code, similar words. Lexical on
 * purpose: it is deterministic, explainable in the log, and tuned on labelled pairs. How well it does stands in the
 * README of this folder.
 */
import { type CodeMatch, compareCode } from './duplicates-code.ts';
import { type Terms, termsOf } from './duplicates-words.ts';
import type { Place } from './vocabulary.ts';

export type Claim = {
  readonly place: Place;
  readonly title: string;
  readonly body: string;
  readonly citedCode: string;
};

/** Lines that two places may lie apart and still be the same spot: a claim is often hung one statement off. */
const NEAR_LINES = 3;

/** With the same cited code they may lie further apart. */
const NEAR_LINES_OF_SAME_CODE = 5;

export const placesOverlap = (one: Place, other: Place): boolean => areWithin(one, other, NEAR_LINES);

const areWithin = (one: Place, other: Place, lines: number): boolean =>
  one.path === other.path &&
  one.side === other.side &&
  one.startLine <= other.line + lines &&
  other.startLine <= one.line + lines;

export const isSameClaim = (one: Claim, other: Claim, threshold: number): boolean => {
  if (!areWithin(one.place, other.place, NEAR_LINES_OF_SAME_CODE)) return false;
  const near = placesOverlap(one.place, other.place) || compareCode(one.citedCode, other.citedCode) === 'same';
  return near && similarity(one, other) >= threshold;
};

/**
 * Between 0 and 1, as a chance: a sum of evidence through the logistic function. The weights were fitted to the tuning
 * half of the labelled pairs and rounded. Of the places only this counts: other code on other lines is another finding.
 */
export const similarity = (one: Claim, other: Claim): number => {
  const code = compareCode(one.citedCode, other.citedCode);
  const quoted = termsOf(`${one.citedCode} ${other.citedCode}`);
  const [a, b] = [readClaim(one, quoted), readClaim(other, quoted)];
  const words = areForeign(a.all, b.all) ? acrossLanguages(a, b) : withinLanguage(a, b);
  const evidence = words - againstCode(code, areWithin(one.place, other.place, 0));
  return 1 / (1 + Math.exp(-evidence));
};

/** What it takes away that the quotations differ. Lines that overlap are often quoted in different pieces. */
const againstCode = (code: CodeMatch, onSameLines: boolean): number => {
  if (code === 'same') return 0;
  if (code === 'unknown') return 0.3;
  return onSameLines ? 1 : 5.5;
};

type Read = { readonly title: Terms; readonly all: Terms };

const readClaim = (claim: Claim, quoted: Terms): Read => ({
  title: discount(termsOf(claim.title), quoted),
  all: discount(termsOf(`${claim.title}. ${claim.body}`), quoted),
});

const QUOTED_SHARE = 0.3;

/** Every claim about a line uses the names in it: they tell little. */
const discount = ({ weights, language }: Terms, quoted: Terms): Terms => ({
  weights: new Map(
    [...weights].map(([term, weight]) => [term, quoted.weights.has(term) ? weight * QUOTED_SHARE : weight]),
  ),
  language,
});

const areForeign = (one: Terms, other: Terms): boolean =>
  one.language !== null && other.language !== null && one.language !== other.language;

const withinLanguage = (one: Read, other: Read): number => -2.3 + sharedWords(one, other);

/** Few words can be shared: the same code at the same place says most. */
const acrossLanguages = (one: Read, other: Read): number => -0.8 + sharedWords(one, other);

const sharedWords = (one: Read, other: Read): number => {
  const titles = [contained(one.title, other.all), contained(other.title, one.all)];
  const shared = sharedWeight(one.all, other.all);
  return (
    0.6 * sum(titles) +
    1.3 * Math.max(...titles) +
    1.3 * dice(one.all, other.all) +
    1.3 * Math.max(contained(one.all, other.all), contained(other.all, one.all)) +
    // The tenth shared word says less than the first.
    2 * (1 - Math.exp(-shared / 3))
  );
};

const sum = (weights: Iterable<number>): number => {
  let total = 0;
  for (const weight of weights) total += weight;
  return total;
};

const sharedWeight = (one: Terms, other: Terms): number =>
  sum([...one.weights].map(([term, weight]) => Math.min(weight, other.weights.get(term) ?? 0)));

const contained = (one: Terms, other: Terms): number => {
  const total = sum(one.weights.values());
  return total === 0 ? Number(other.weights.size === 0) : sharedWeight(one, other) / total;
};

const dice = (one: Terms, other: Terms): number => {
  const total = sum(one.weights.values()) + sum(other.weights.values());
  return total === 0 ? 1 : (2 * sharedWeight(one, other)) / total;
};
