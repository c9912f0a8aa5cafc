/** Which mutants of a folder are tried: the same ones for the same seed and sources. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Mutant } from '@stryker-mutator/api/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { keyOf } from './mutant-key.mjs';

export type SampledFile = { readonly file: string; readonly keys: readonly string[] };

const silent = (): void => {};
const LOGGER = {
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
};

/** Every mutant that Stryker makes of the files, in their order. */
export const enumerateMutants = async (files: readonly string[]): Promise<readonly Mutant[]> => {
  const sources = files.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true }));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  return (await new Instrumenter(LOGGER).instrument(sources, options)).mutants;
};

const rankOf = (key: string, seed: number): string => createHash('sha256').update(`${seed} ${key}`).digest('hex');

/** At most `size` keys, drawn without regard to where they are, grouped by file. */
export const drawSample = (mutants: readonly Mutant[], seed: number, size: number): readonly SampledFile[] => {
  const drawn = mutants
    .map((mutant) => ({ file: mutant.fileName, key: keyOf(mutant), rank: rankOf(keyOf(mutant), seed) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size);
  const files = [...new Set(drawn.map(({ file }) => file))].toSorted();
  return files.map((file) => ({ file, keys: drawn.filter((one) => one.file === file).map(({ key }) => key) }));
};

/** Whole files together, about `size` mutants each: each chunk pays once for the run without a mutant. */
export const chunk = (files: readonly SampledFile[], size: number): readonly (readonly SampledFile[])[] => {
  const chunks: SampledFile[][] = [];
  let room = 0;
  for (const file of files) {
    if (chunks.length === 0 || file.keys.length > room) {
      chunks.push([]);
      room = size;
    }
    chunks.at(-1)?.push(file);
    room -= file.keys.length;
  }
  return chunks;
};
