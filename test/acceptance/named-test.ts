/** A pointer to a test by file and name, and the proof that it is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export type NamedTest = {
  /** From the root of the project: a file, or a folder whose files share the tests of one subject. */
  readonly at: string;
  /** A part of the test's name, or of the row of its table, as it stands in the file. */
  readonly name: string;
};

/** What a row is proved by, or why it belongs to a later part. */
export type Proof = { readonly tests: readonly NamedTest[] } | { readonly later: string };

/** `by('test/a.test.ts', 'does this', 'does that')` */
export const by = (at: string, ...names: readonly string[]): readonly NamedTest[] =>
  names.map((name) => ({ at, name }));

export const proved = (...tests: readonly (readonly NamedTest[])[]): Proof => ({ tests: tests.flat() });

export const later = (reason: string): Proof => ({ later: reason });

const LITERAL = /(['"`])((?:\\.|(?!\1).)*)\1/g;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;
const SWITCHED_OFF = /\.(?:skip|todo)\(/;

/** Why the pointer leads nowhere; null when the test is there and switched on. */
export const missingWhy = ({ at, name }: NamedTest): string | null => {
  const full = path.join(ROOT, at);
  if (!existsSync(full)) return `${at} is not there`;
  const named = linesBelow(full).filter((line) => literalsOf(line).some((text) => text.includes(name)));
  if (named.length === 0) return `${at} has no test called ${JSON.stringify(name)}`;
  return named.every((line) => SWITCHED_OFF.test(line)) ? `${at}: ${JSON.stringify(name)} is switched off` : null;
};

/** Of the file, or of the files of the folder, without comments. */
const linesBelow = (full: string): readonly string[] => {
  const files = full.endsWith('.ts')
    ? [full]
    : readdirSync(full).flatMap((name) => (name.endsWith('.ts') ? [path.join(full, name)] : []));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.filter((line) => !COMMENT.test(line));
};

const literalsOf = (line: string): readonly string[] =>
  [...line.matchAll(LITERAL)].map(([, , text = '']) => text.replaceAll(/\\(['"`])/g, '$1'));

/** Everything wrong with a table of proofs. */
export const brokenProofs = (table: Readonly<Record<string, Proof>>): readonly string[] =>
  Object.entries(table).flatMap(([id, proof]) => {
    if ('later' in proof) return proof.later.length < 20 ? [`${id}: a reason is missing`] : [];
    if (proof.tests.length === 0) return [`${id}: no test and no reason`];
    return proof.tests.flatMap((test) => {
      const why = missingWhy(test);
      return why === null ? [] : [`${id}: ${why}`];
    });
  });
