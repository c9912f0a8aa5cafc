/** Compares two quotations of code by their names and numbers. White space, brackets, and the places where the code is cut may differ. */

/**
 * - `same`: one quotation contains every name of the other, so it is the same code, cut or edited.
 * - `akin`: each has names that the other lacks, but most names are shared, as in neighbouring lines of similar code.
 * - `other`: few names are shared.
 * - `unknown`: at least one quotation has no name to compare.
 */
export type CodeMatch = 'same' | 'akin' | 'other' | 'unknown';

/** Only this many characters of a quotation are compared, which limits the time. */
const MAX_CHARS = 1_200;

const AKIN = 0.5;

/** Maximum entries of the cache; there is a cache because each quotation is compared with many others. */
const KEPT = 2_000;
const kept = new Map<string, ReadonlySet<string>>();

const codeNames = (code: string): ReadonlySet<string> => {
  const known = kept.get(code);
  if (known !== undefined) return known;
  const names = new Set(code.slice(0, MAX_CHARS).match(/[\p{L}\p{N}_$]+/gu) ?? []);
  if (kept.size >= KEPT) kept.clear();
  kept.set(code, names);
  return names;
};

const plain = (code: string): string => code.slice(0, MAX_CHARS).replaceAll(/\s+/g, '');

/** Shorter quotations, such as a bracket, occur everywhere, so they are not compared. */
const MIN_QUOTATION = 4;

export const quoteEachOther = (one: string, other: string): boolean => {
  const [a, b] = [plain(one), plain(other)];
  const shorter = Math.min(a.length, b.length);
  return shorter >= MIN_QUOTATION && (a.includes(b) || b.includes(a));
};

export const compareCode = (one: string, other: string): CodeMatch => {
  const [a, b] = [codeNames(one), codeNames(other)];
  const smaller = Math.min(a.size, b.size);
  if (smaller === 0) return plain(one) !== '' && plain(one) === plain(other) ? 'same' : 'unknown';
  const shared = [...a].filter((name) => b.has(name)).length;
  if (shared === smaller) return 'same';
  return shared / smaller >= AKIN ? 'akin' : 'other';
};
