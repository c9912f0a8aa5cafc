/**
 * Compares two claims: same file, overlapping place, same cited code, similar words. The comparison is lexical, so it is
 * deterministic and can be explained. The README of `shared/rounds` has the results.
 */
import { type CodeMatch, compareCode } from './duplicates-code.ts';
import { type Terms, termsOf } from './duplicates-words.ts';
import type { Place } from '../../vocabulary/finding.ts';

export type Claim = {
  readonly place: Place;
  readonly title: string;
  readonly body: string;
  readonly citedCode: string;
};

/** Places at most this many lines apart still count as overlapping, because models are often one statement off. */
const NEAR_LINES = 3;

/** Maximum distance in lines if the cited code is equal. */
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
 * Returns a probability between 0 and 1: the evidence is summed and passed through the logistic function. The weights were
 * fitted to the tuning half of the labelled pairs and rounded.
 */
export const similarity = (one: Claim, other: Claim): number => {
  const code = compareCode(one.citedCode, other.citedCode);
  const [a, b] = [readClaim(one), readClaim(other)];
  const isQuoted: IsQuoted = (term) => a.code.weights.has(term) || b.code.weights.has(term);
  const start = areForeign(a.all, b.all) ? ACROSS_LANGUAGES : WITHIN_LANGUAGE;
  const words = start + sharedWords(a, b, isQuoted);
  const evidence = words - againstCode(code, areWithin(one.place, other.place, 0));
  return 1 / (1 + Math.exp(-evidence));
};

/** The penalty for different quotations. It is lower on overlapping lines, which are often quoted in different pieces. */
const againstCode = (code: CodeMatch, onSameLines: boolean): number => {
  if (code === 'same') return 0;
  if (code === 'unknown') return 0.3;
  return onSameLines ? 1 : 5.5;
};

type Read = { readonly title: Terms; readonly all: Terms; readonly code: Terms };

const readClaim = (claim: Claim): Read => ({
  title: termsOf(claim.title),
  all: termsOf(`${claim.title}. ${claim.body}`),
  code: termsOf(claim.citedCode),
});

const areForeign = (one: Terms, other: Terms): boolean =>
  one.language !== null && other.language !== null && one.language !== other.language;

const WITHIN_LANGUAGE = -2.3;

/** Starting value for claims in different languages: few words can match, so code and place count more. */
const ACROSS_LANGUAGES = -0.8;

type IsQuoted = (term: string) => boolean;

/** Factor for names from the quoted line: every claim about the line uses them, so they count less. */
const QUOTED_SHARE = 0.3;

const sharedWords = (one: Read, other: Read, isQuoted: IsQuoted): number => {
  const shared = sharedWeight(one.all, other.all, isQuoted);
  const [all, otherAll] = [weightOf(one.all, isQuoted), weightOf(other.all, isQuoted)];
  const covered = share(shared, Math.min(all, otherAll), 1);
  const titles = [
    share(sharedWeight(one.title, other.all, isQuoted), weightOf(one.title, isQuoted), covered),
    share(sharedWeight(other.title, one.all, isQuoted), weightOf(other.title, isQuoted), covered),
  ];
  return (
    0.6 * titles.reduce((sum, title) => sum + title, 0) +
    1.3 * Math.max(...titles) +
    // The Dice coefficient, and the share of the shorter claim that the longer one contains.
    1.3 * share(2 * shared, all + otherAll, 1) +
    1.3 * covered +
    // Each further shared word counts less.
    2 * (1 - Math.exp(-shared / 3))
  );
};

/** `otherwise` is returned if neither claim has terms. */
const share = (part: number, all: number, otherwise: number): number => (all === 0 ? otherwise : part / all);

const weightOf = ({ weights }: Terms, isQuoted: IsQuoted): number => {
  let total = 0;
  for (const [term, weight] of weights) total += isQuoted(term) ? weight * QUOTED_SHARE : weight;
  return total;
};

const sharedWeight = ({ weights }: Terms, other: Terms, isQuoted: IsQuoted): number => {
  let total = 0;
  for (const [term, weight] of weights) {
    const theirs = other.weights.get(term);
    if (theirs !== undefined) total += Math.min(weight, theirs) * (isQuoted(term) ? QUOTED_SHARE : 1);
  }
  return total;
};
