import { createRequire } from 'node:module';
import type * as Scslre from 'scslre';

let loaded: typeof Scslre | null = null;

/** Loaded with the first pattern: 1 MB of code that a process without patterns to check does not need. */
const scslre = (): typeof Scslre => {
  // The type of the package, which `require` does not know.
  loaded ??= createRequire(import.meta.url)('scslre') as typeof Scslre;
  return loaded;
};

/** Longer patterns are not analysed. */
const MAX_CHARACTERS = 500;
/** The analysis compares each repetition with each other one, so its time grows with their square. */
const MAX_UNITS = 400;
const LEAST_UNITS = 10;
/** A class of the Unicode table has hundreds of ranges; one takes as long as this many repetitions. */
const PROPERTY_REPETITIONS = 6;

const CLASS = /\[(?:\\.|[^\]\\])*\]/g;
const PROPERTY = /\\[pP]\{/g;
const UNBOUNDED = /[*+]|\{\d+,\}/g;
const BOUNDED = /\?|\{\d+(?:,\d+)?\}/g;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/**
 * What the analysis of a pattern may cost, in units of at most about a millisecond; null if it is not analysed, because it
 * is too long or has too many repetitions.
 */
export const analysisCost = (source: string, flags: string): number | null => {
  if (source.length > MAX_CHARACTERS) return null;
  const plain = source.replaceAll(/\\[^pP]/g, 'e');
  const code = plain.replaceAll(CLASS, 'c');
  const properties = count(plain, PROPERTY) * (flags.includes('i') ? 2 : 1);
  const weighted = count(code, UNBOUNDED) + count(code, BOUNDED) / 3 + PROPERTY_REPETITIONS * properties;
  const units = Math.max(LEAST_UNITS, Math.round(weighted ** 2));
  return units > MAX_UNITS ? null : units;
};

/**
 * Whether some text makes the time of a JavaScript regular expression grow at least with the square of its length. Finds only
 * texts that repeat one character. False if the pattern is not valid or is not analysed.
 */
export const takesQuadraticTime = (source: string, flags: string): boolean => {
  if (analysisCost(source, flags) === null) return false;
  const { analyse } = scslre();
  try {
    return (
      analyse({ source, flags }, { reportTypes: { Move: !flags.includes('y') }, maxReports: 1 }).reports.length > 0
    );
  } catch {
    // The library throws a plain SyntaxError, and a plain Error for what it does not support.
    return false;
  }
};
