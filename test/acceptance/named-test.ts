/** References to tests by file and name, and the check that such a test exists and runs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { best, type When, whenItRuns } from './when-it-runs.ts';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export type NamedTest = {
  /** Path from the project's root: a file, or a folder whose files share the tests of one subject. */
  readonly at: string;
  /** A part of the test's name, or of a row of its table, as written in the file. */
  readonly name: string;
  /** The test runs only in the deep run. A row also needs a test of the usual run. */
  readonly deep?: true;
};

/** The tests that prove a row, or why it belongs to a later part. */
export type Proof = { readonly tests: readonly NamedTest[] } | { readonly later: string };

/** `by('test/a.test.ts', 'does this', 'does that')` */
export const by = (at: string, ...names: readonly string[]): readonly NamedTest[] =>
  names.map((name) => ({ at, name }));

/** The same as `by`, for tests of the deep run. */
export const byDeep = (at: string, ...names: readonly string[]): readonly NamedTest[] =>
  names.map((name) => ({ at, name, deep: true }));

export const proved = (...tests: readonly (readonly NamedTest[])[]): Proof => ({ tests: tests.flat() });

export const later = (reason: string): Proof => ({ later: reason });

/** @throws when a row is in two tables: one would hide the other */
export const joinTables = (tables: readonly Readonly<Record<string, Proof>>[]): Readonly<Record<string, Proof>> => {
  const rows = tables.flatMap((table) => Object.entries(table));
  const twice = rows.map(([id]) => id).filter((id, index, ids) => ids.indexOf(id) !== index);
  if (twice.length > 0) throw new Error(`rows that stand twice: ${twice.join(' ')}`);
  return Object.fromEntries(rows);
};

const LITERAL = /(['"`])((?:\\.|(?!\1).)*)\1/g;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;
const SWITCHED_OFF = /\.(?:skip|todo)\(/;

export type Found = { readonly kind: 'runs'; readonly when: When } | { readonly kind: 'missing'; readonly why: string };

const missing = (why: string): Found => ({ kind: 'missing', why });

/** When the name is at several places, the most frequently run one counts. */
export const followPointer = ({ at, name }: NamedTest): Found => {
  const full = path.join(ROOT, at);
  if (!existsSync(full)) return missing(`${at} is not there`);
  const named = filesBelow(full).flatMap((lines) =>
    lines.flatMap((line, index) => (literalsOf(line).some((text) => text.includes(name)) ? [{ lines, index }] : [])),
  );
  if (named.length === 0) return missing(`${at} has no test called ${JSON.stringify(name)}`);
  const on = named.filter(({ lines, index }) => !SWITCHED_OFF.test(lines[index] ?? ''));
  if (on.length === 0) return missing(`${at}: ${JSON.stringify(name)} is switched off`);
  return { kind: 'runs', when: best(on.map(({ lines, index }) => whenItRuns(lines, index))) };
};

const filesBelow = (full: string): readonly (readonly string[])[] => {
  const files = full.endsWith('.ts')
    ? [full]
    : readdirSync(full, { recursive: true, encoding: 'utf8' }).flatMap((name) =>
        name.endsWith('.ts') ? [path.join(full, name)] : [],
      );
  return files.map((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !COMMENT.test(line)),
  );
};

const literalsOf = (line: string): readonly string[] =>
  [...line.matchAll(LITERAL)].map(([, , text = '']) => text.replaceAll(/\\(['"`])/g, '$1'));

export const brokenProofs = (table: Readonly<Record<string, Proof>>): readonly string[] =>
  Object.entries(table).flatMap(([id, proof]) => brokenProof(proof).map((why) => `${id}: ${why}`));

const brokenProof = (proof: Proof): readonly string[] => {
  if ('later' in proof) return proof.later.length < 20 ? ['a reason is missing'] : [];
  if (proof.tests.length === 0) return ['no test and no reason'];
  const found = proof.tests.map((test) => ({ test, found: followPointer(test) }));
  const usual = found.some(({ found: each }) => each.kind === 'missing' || each.when === 'always');
  return [...found.flatMap(brokenPointer), ...(usual ? [] : ['no test of the usual run'])];
};

const brokenPointer = ({ test: { at, name, deep }, found }: { test: NamedTest; found: Found }): readonly string[] => {
  if (found.kind === 'missing') return [found.why];
  if ((found.when === 'deep') === (deep === true)) return [];
  return [`${at}: ${JSON.stringify(name)} is ${deep === true ? 'not only' : 'only'} in the deep run`];
};
