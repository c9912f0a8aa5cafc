/**
 * Is a new claim one that was made before? Same file, overlapping place, similar words. Lexical on purpose: it is
 * deterministic, explainable in the log, and tuned on labelled pairs.
 */
import type { Place } from './vocabulary.ts';

export type Claim = {
  readonly place: Place;
  readonly title: string;
  readonly body: string;
  readonly citedCode: string;
};

/** Lines that two places may lie apart and still be the same spot: a claim is often hung one statement off. */
const NEAR_LINES = 3;

export const placesOverlap = (one: Place, other: Place): boolean =>
  one.path === other.path &&
  one.side === other.side &&
  one.startLine <= other.line + NEAR_LINES &&
  other.startLine <= one.line + NEAR_LINES;

/** Between 0 and 1: the Dice coefficient over the sets of normalised tokens, the title counted twice. */
export const similarity = (one: Claim, other: Claim): number => {
  const title = dice(tokens(one.title), tokens(other.title));
  const whole = dice(tokens(textOf(one)), tokens(textOf(other)));
  return Math.max(title, (title + whole) / 2);
};

export const isSameClaim = (one: Claim, other: Claim, threshold: number): boolean =>
  placesOverlap(one.place, other.place) && similarity(one, other) >= threshold;

const textOf = (claim: Claim): string => `${claim.title} ${claim.body} ${claim.citedCode}`;

/** Words that carry no claim of their own. */
const STOP_WORDS = new Set(
  'a an and are as at be by can could do does for from has have if in is it its may must not of on or should so that the then there this to use used uses was when which will with would you'.split(
    ' ',
  ),
);

/** Splits camelCase and snake_case, drops stop words and plural or verb endings. */
const tokens = (text: string): ReadonlySet<string> => {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
    .map((word) => (word.length > 4 ? word.replace(/(?:ings?|ed|es|s)$/, '') : word));
  return new Set(words);
};

const dice = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  if (one.size + other.size === 0) return 0;
  const shared = [...one].filter((token) => other.has(token)).length;
  return (2 * shared) / (one.size + other.size);
};
