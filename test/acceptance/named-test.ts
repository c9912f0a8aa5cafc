/** A pointer to a test by file and name, and the proof that it is there. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export type NamedTest = {
  /** From the root of the project. */
  readonly file: string;
  /** A part of the test's name, or of the row of its table, as it stands in the file. */
  readonly name: string;
};

/** What a row is proved by, or why it belongs to a later part. */
export type Proof = { readonly tests: readonly NamedTest[] } | { readonly later: string };

/** `by('test/a.test.ts', 'does this', 'does that')` */
export const by = (file: string, ...names: readonly string[]): readonly NamedTest[] =>
  names.map((name) => ({ file, name }));

export const proved = (...tests: readonly (readonly NamedTest[])[]): Proof => ({ tests: tests.flat() });

export const later = (reason: string): Proof => ({ later: reason });

const LITERAL = /(['"`])((?:\\.|(?!\1).)*)\1/g;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;
const SWITCHED_OFF = /\.(?:skip|todo)\(/;

/** Why the pointer leads nowhere; null when the test is there and switched on. */
export const missingWhy = ({ file, name }: NamedTest): string | null => {
  const full = path.join(ROOT, file);
  if (!existsSync(full)) return `${file} is not there`;
  const lines = readFileSync(full, 'utf8').split('\n');
  const named = lines.filter((line) => !COMMENT.test(line) && literalsOf(line).some((text) => text.includes(name)));
  if (named.length === 0) return `${file} has no test called ${JSON.stringify(name)}`;
  return named.every((line) => SWITCHED_OFF.test(line)) ? `${file}: ${JSON.stringify(name)} is switched off` : null;
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
