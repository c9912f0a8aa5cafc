/** Are two quotations of the same code? Names and numbers decide: white space, brackets and the cut may differ. */

/**
 * - `same`: one holds every name of the other: the same code, cut or edited.
 * - `akin`: each has names of its own, but most are shared: the next line of its kind, or a line that was edited.
 * - `other`: little in common.
 * - `unknown`: at least one quotes nothing that could be compared.
 */
export type CodeMatch = 'same' | 'akin' | 'other' | 'unknown';

/** Longer quotations are compared by their beginning: time stays bounded. */
const MAX_CHARS = 1_200;

const AKIN = 0.5;

/** One quotation is compared with many others: the latest are kept. */
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

/** Shorter ones stand in every line: a bracket is no quotation of it. */
const MIN_QUOTATION = 4;

/** Unchanged but for white space: one of the two stands in the other. */
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
