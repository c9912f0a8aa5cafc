import { expect, test } from 'vitest';
import { isDeclaredNumber } from '../../../../shared/rules/inserted/declared-types.ts';
import { insertsForeignValue } from '../../../../shared/rules/inserted/harmless.ts';
import { localValues, type Use } from '../../../../shared/rules/inserted/local-values.ts';
import { returnedValues } from '../../../../shared/rules/inserted/returned-values.ts';
import { isVisiblyForeign } from '../../../../shared/rules/inserted/visibly-foreign.ts';
import { createFollowLimit } from '../../../../shared/rules/inserted/follow-limit.ts';
import { RulesEngineFailedError } from '../../../../shared/rules/model/errors.ts';
import { composedPattern } from '../../../../shared/rules/patterns/composed-patterns.ts';

const NAMES = 40;
const sumOf = (letter: string): string =>
  Array.from({ length: NAMES - 1 }, (_, at) => `${letter}${at + 1}`).join(' + ');
const LINES = [
  'function g(x) {',
  ...Array.from({ length: 100 }, () => '  x();'),
  '}',
  ...Array.from({ length: NAMES }, (_, at) => `a${at} = ${sumOf('a')};`),
  'use();',
];

/** Units that the work takes. */
const unitsFor = (work: (use: Use) => unknown): number => {
  let units = 0;
  const spend = (more: number): void => {
    units += more;
  };
  work({ lines: LINES, line: LINES.length, language: 'TypeScript', work: { spend } });
  return units;
};

test.each<readonly [string, (use: Use) => unknown, number]>([
  ['the values of a name', (use) => localValues('a0', use), 40],
  ['what a function returns', (use) => returnedValues('g(a)', use), 100],
  ['the type of a name', (use) => isDeclaredNumber('a0', use), 100],
  ['a pattern of several strings', (use) => composedPattern(`new RegExp(${sumOf('a')})`, use), 100_000],
  ['a value from outside', (use) => isVisiblyForeign([{ code: 'a0', before: '' }], 'outside', use), 5_000],
  ['a harmless value', (use) => insertsForeignValue('"ls " + a0', { for: 'shell' }, use), 1_000],
])('%s counts as work', (_what, work, least) => {
  expect(unitsFor(work)).toBeGreaterThanOrEqual(least);
});

test('values that stand for the same names are looked up together', () => {
  const one = unitsFor((use) => isVisiblyForeign([{ code: 'a0', before: '' }], 'outside', use));
  const all = unitsFor((use) =>
    isVisiblyForeign(
      sumOf('a')
        .split(' + ')
        .map((code) => ({ code, before: '' })),
      'outside',
      use,
    ),
  );
  expect(all).toBeLessThan(2 * one);
});

test('a file is read once for all the functions that it calls', () => {
  let reads = 0;
  const lines = new Proxy(LINES, {
    get: (target, key): unknown => {
      reads += 1;
      return Reflect.get(target, key);
    },
  });
  const use = { lines, line: LINES.length, language: 'JavaScript' } as const;
  returnedValues('h(a)', use);
  reads = 0;
  returnedValues('h(a)', use);
  returnedValues('i(a)', use);
  expect(reads).toBe(0);
});

test('ends at the limit, and asks before whether the work must end', () => {
  const { spend } = createFollowLimit(() => {}, 100);
  spend(100);
  expect(() => spend(1)).toThrow(RulesEngineFailedError);
  let asked = 0;
  const limit = createFollowLimit(() => {
    asked += 1;
  });
  for (let count = 0; count < 100; count += 1) limit.spend(1_000);
  expect(asked).toBe(10);
});
