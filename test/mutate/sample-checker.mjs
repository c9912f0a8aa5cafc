/** Stryker tries what its checkers let pass: here, what is in the sample. The rest counts as not compiled. */
import { readFileSync } from 'node:fs';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { keyOf } from './mutant-key.mjs';

const sample = new Set(JSON.parse(readFileSync(process.env['FIXPOINT_MUTATE_SAMPLE'] ?? '', 'utf8')));

const checker = {
  init: async () => {},
  check: async (mutants) =>
    Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        sample.has(keyOf(mutant)) ? { status: 'passed' } : { status: 'compileError', reason: 'not in the sample' },
      ]),
    ),
  group: async (mutants) => [mutants.map(({ id }) => id)],
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Checker, 'sample', checker)];
