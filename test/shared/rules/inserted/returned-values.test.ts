import { expect, test } from 'vitest';
import { returnedValues } from '../../../../shared/rules/inserted/returned-values.ts';

const LINES = [
  'function first(file) {',
  "  if (quick) return 'ls';",
  '  const inner = () => {',
  '    return 1;',
  '  };',
  "  return 'ls ' +",
  '    file;',
  '}',
  'tools.second = (file) => {',
  '  return file;',
  '};',
  'class A {',
  '  async third(file) {',
  '    return `a`;',
  '  }',
  '}',
  'first(given);',
];
const USE = { lines: LINES, line: 17, language: 'JavaScript' } as const;

test.each([
  ['first(given)', ["2: 'ls'", '4: 1', "6: 'ls ' +\n    file"]],
  ['await tools.second(given)', ['10: file']],
  ['this.third(given)', ['14: `a`']],
  ['fourth(given)', []],
  ['first', []],
  ["'ls ' + first(given)", []],
])('finds what %s returns', (code, expected) => {
  const found = returnedValues(code, USE).map((each) => `${each.use.line}: ${each.code}`);
  expect(found).toEqual(expected);
});

test('reads 120 lines of a function, and six values', () => {
  const body = (lines: number, text: string): string[] => Array.from({ length: lines }, () => text);
  const valuesIn = (lines: readonly string[]): number =>
    returnedValues('f(a)', { ...USE, lines: ['function f(a) {', ...lines, '}'] }).length;
  expect(valuesIn([...body(118, ''), '  return a;'])).toBe(1);
  expect(valuesIn([...body(119, ''), '  return a;'])).toBe(0);
  expect(valuesIn(body(9, '  return a;'))).toBe(6);
});
