import { unquoteName } from '../paths/quoted-path.ts';

/** Names have one character per byte. */
export type NamePair = { readonly old: string; readonly new: string };

const DEV_NULL = '/dev/null';
/** Matches `a/ b/` and the prefixes of `diff.mnemonicPrefix`: commit, index, work tree, object, and two sides of `--no-index`. */
const KNOWN_PREFIX = /^[abciow12]\//;
/**
 * If two unquoted names have prefixes of unequal length, the blank between them is off the middle by half of the
 * difference.
 */
const MAX_SPLIT_SHIFT = 32;

export const isDevNull = (name: string): boolean => name === DEV_NULL;

const withoutFirstFolder = (name: string): string => name.slice(name.indexOf('/') + 1);

const sameBelowPrefix = (pair: NamePair): boolean => {
  const [oldAt, newAt] = [pair.old.indexOf('/'), pair.new.indexOf('/')];
  return oldAt !== -1 && newAt !== -1 && pair.old.slice(oldAt) === pair.new.slice(newAt) && pair.old !== pair.new;
};

/** Splits the text after `diff --git ` into two names with their prefixes; null if the line is ambiguous. */
export const splitHeaderNames = (rest: string): NamePair | null => {
  if (rest.startsWith('"')) return splitQuotedFirst(rest);
  if (rest.endsWith('"')) return splitQuotedSecond(rest);
  return splitUnquoted(rest);
};

const splitQuotedFirst = (rest: string): NamePair | null => {
  const first = unquoteName(rest, 0);
  if (first === null || rest.charAt(first.end) !== ' ') return null;
  const second = readWholeName(rest.slice(first.end + 1));
  return second === null ? null : { old: first.name, new: second };
};

const splitQuotedSecond = (rest: string): NamePair | null => {
  const blank = rest.indexOf(' "');
  if (blank === -1) return null;
  const second = readWholeName(rest.slice(blank + 1));
  return second === null ? null : { old: rest.slice(0, blank), new: second };
};

const BARE_BINARY = /^Binary files (.+) differ$/s;
const MAX_ANDS = 16;

/** Reads GNU diff's `Binary files old/x and new/x differ`; null unless the names are equal below their first folder. */
export const splitBinaryNames = (line: string): NamePair | null => {
  const rest = BARE_BINARY.exec(line)?.[1] ?? '';
  let at = rest.indexOf(' and ');
  for (let tries = 0; at !== -1 && tries < MAX_ANDS; tries++) {
    const pair = { old: rest.slice(0, at), new: rest.slice(at + 5) };
    if (pair.old === pair.new || sameBelowPrefix(pair)) return pair;
    at = rest.indexOf(' and ', at + 1);
  }
  return null;
};

const readWholeName = (text: string): string | null => {
  if (!text.startsWith('"')) return text;
  const quoted = unquoteName(text, 0);
  return quoted === null || quoted.end !== text.length ? null : quoted.name;
};

/**
 * Unquoted names may contain blanks, so the split is certain only if both names are equal below their prefixes. If git
 * writes no other line with the name, both names are always equal.
 */
const splitUnquoted = (rest: string): NamePair | null => {
  const middle = (rest.length - 1) / 2;
  for (let shift = 0; shift <= MAX_SPLIT_SHIFT; shift += 0.5) {
    const pair = splitAt(rest, middle - shift) ?? splitAt(rest, middle + shift);
    if (pair !== null) return pair;
  }
  return null;
};

const splitAt = (rest: string, at: number): NamePair | null => {
  if (!Number.isInteger(at) || at <= 0 || rest.charAt(at) !== ' ') return null;
  const pair = { old: rest.slice(0, at), new: rest.slice(at + 1) };
  return pair.old === pair.new || sameBelowPrefix(pair) ? pair : null;
};

const hasKnownPrefix = (name: string): boolean => isDevNull(name) || KNOWN_PREFIX.test(name);

/** Returns the number of leading folders to strip from file names: 1, or 0 for `--no-prefix`. */
export const prefixDepth = (pair: NamePair): 0 | 1 => {
  if (pair.old === pair.new) return 0;
  if (sameBelowPrefix(pair)) return 1;
  return hasKnownPrefix(pair.old) && hasKnownPrefix(pair.new) ? 1 : 0;
};

export const stripPrefix = (name: string, depth: 0 | 1): string => (depth === 1 ? withoutFirstFolder(name) : name);

/** Reads the name after `--- ` or `+++ ` in git's output. git ends a name that contains blanks with a tab. */
export const readSideName = (rest: string): string | null => {
  if (rest.startsWith('"')) return unquoteName(rest, 0)?.name ?? null;
  const tab = rest.indexOf('\t');
  return tab === -1 ? rest : rest.slice(0, tab);
};

const TIMESTAMP = /[ \t]\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d\d:?\d\d)?$/;
const EPOCH = /\b(?:1970-01-01|1969-12-31) [0-2]\d:[0-5]\d:00(?:\.0+)? [+-][0-2]\d:?[0-5]\d$/;

/** Old tools mark a missing side with an epoch timestamp, in any time zone, after the name. */
const saysAbsent = (rest: string): boolean => isDevNull(readPlainName(rest)) || EPOCH.test(rest);

const readPlainName = (rest: string): string => {
  if (rest.startsWith('"')) return unquoteName(rest, 0)?.name ?? '';
  const tab = rest.indexOf('\t');
  return tab === -1 ? rest.replace(TIMESTAMP, '') : rest.slice(0, tab);
};

export type PlainNames = { readonly name: string; readonly created: boolean; readonly deleted: boolean };

/**
 * A header without a `diff --git` line contains the name twice, with or without prefix and timestamp. Like `git apply`,
 * this function strips the first folder if there is one, and prefers the shorter of `x` and `x.orig`.
 */
export const readPlainNames = (minus: string, plus: string): PlainNames | null => {
  const pair = { old: readPlainName(minus), new: readPlainName(plus) };
  const present = [pair.old, pair.new].filter((name) => name !== '' && !isDevNull(name));
  const depth = present.some((name) => name.includes('/')) ? 1 : 0;
  const names = present.map((name) => stripPrefix(name.replace(/\/{2,}/g, '/'), depth)).filter((name) => name !== '');
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined) return null;
  const created = saysAbsent(minus);
  return { name: last.startsWith(first) ? first : last, created, deleted: !created && saysAbsent(plus) };
};
