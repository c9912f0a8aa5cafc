import { expect, test } from 'vitest';
import { composedPattern } from '../../../../shared/rules/patterns/composed-patterns.ts';

const ABOVE = ["const SPACE = '\\\\s+';", 'const WORD = /[a-z]+/i;', 'let two = "a";', '  two = "b";', 'use();'];
const USE = { lines: ABOVE, line: 5, language: 'JavaScript' } as const;
const UNKNOWN = '\u{E000}';
const D = '$';

test.each([
  ["new RegExp('^a' + 'b+$')", { source: '^ab+$', flags: '' }],
  [`new RegExp('(' + ['a', "b"].join('|') + ')', 'i')`, { source: '(a|b)', flags: 'i' }],
  ['RegExp(SPACE + "\\\\d" + WORD.source + `x' + D + '{SPACE}`)', { source: '\\s+\\d[a-z]+x\\s+', flags: '' }],
  ["new RegExp('a' + given + two + make('b'))", { source: `a${UNKNOWN.repeat(3)}`, flags: '' }],
  ["new RegExp('a' + b, flags)", { source: `a${UNKNOWN}`, flags: '' }],
  ['new RegExp(given)', null],
  ["new RegExp('a', 'g', more)", null],
  ["new Pattern('a')", null],
  [`new RegExp('${'a'.repeat(2000)}')`, null],
])('reads %.60s', (code, expected) => {
  expect(composedPattern(code, USE)).toEqual(expected);
});

test('a sum of very many strings is not read', () => {
  const code = `new RegExp(${Array.from({ length: 41 }, () => "'a'").join(' + ')})`;
  expect(composedPattern(code, USE)).toBeNull();
});
