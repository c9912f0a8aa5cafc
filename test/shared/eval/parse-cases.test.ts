import { expect, test } from 'vitest';
import { parseCases, printCases } from '../../../shared/eval/parse-cases.ts';
import { cleanCase, evalCase } from './cases.ts';

test('what is printed is read back', () => {
  const cases = [evalCase(), cleanCase()];
  expect(parseCases(printCases(cases))).toEqual({ cases, problems: [] });
});

const wrong = (changes: Readonly<Record<string, unknown>>): string => JSON.stringify({ ...evalCase(), ...changes });

test.each<readonly [string, string, string]>([
  ['a line that is not JSON', '{"id":', 'this line is not JSON'],
  ['a line that is no object', '[1]', 'Invalid input: expected object, received array'],
  [
    'an id that could name another folder',
    wrong({ id: '../x' }),
    'id: expected at most 120 characters a-z, 0-9, ".", "_" or "-"',
  ],
  [
    'a defect without a label',
    wrong({ golden: [] }),
    'a case of kind "defect" needs a label in golden, and a clean one has none',
  ],
  [
    'a clean change with a label',
    wrong({ kind: 'clean' }),
    'a case of kind "defect" needs a label in golden, and a clean one has none',
  ],
  ['a line without a path', wrong({ golden: [{ from: 1, text: 'x', severity: 'P1' }] }), 'golden.0: from needs a path'],
  [
    'a range that ends before it begins',
    wrong({ golden: [{ path: 'a', from: 3, to: 2, text: 'x', severity: 'P1' }] }),
    'golden.0: to needs a from that is not greater',
  ],
  [
    'an address with a user',
    wrong({
      change: { kind: 'commits', repository: { kind: 'fetch', url: 'https://u:p@x.example' }, base: 'a', head: 'b' },
    }),
    'change.repository.url: expected an http(s) address without a user',
  ],
  ['a mistyped field', wrong({ goldne: [] }), 'Unrecognized key: "goldne"'],
])('%s is reported with its line', (_what, line, text) => {
  const good = JSON.stringify(evalCase({ id: 'good' }));
  expect(parseCases(`${good}\n\n${line}\n`)).toEqual({
    cases: [evalCase({ id: 'good' })],
    problems: [{ line: 3, text }],
  });
});

test('an id that occurs twice is reported, because results are stored under it', () => {
  expect(parseCases(printCases([evalCase(), evalCase()])).problems).toEqual([
    { line: 2, text: 'the id one occurs twice' },
  ]);
});
