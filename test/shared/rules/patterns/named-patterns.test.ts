import { expect, test } from 'vitest';
import { lastNames, namedPatterns, parsePattern } from '../../../../shared/rules/patterns/named-patterns.ts';

test.each([
  ['/a+/g', { source: 'a+', flags: 'g' }],
  [' /[/]\\/b/ ', { source: '[/]\\/b', flags: '' }],
  ['// a', null],
  ['a / b / c', null],
  ['name', null],
])('reads %s as a pattern', (code, expected) => {
  expect(parsePattern(code)).toEqual(expected);
});

test('finds each pattern that the file binds to a name', () => {
  const code = [
    'const first = /a+$/i;',
    'var second =',
    '    /b[/]c/,',
    '    third = 4 / 2;',
    'const forms = { date: /d+/, time: 1 };',
    'first = /e/;',
    'this.last = /f/g',
    '// other = // note',
  ].join('\n');
  expect([...namedPatterns(code)]).toEqual([
    [
      'first',
      [
        { source: 'a+$', flags: 'i' },
        { source: 'e', flags: '' },
      ],
    ],
    ['second', [{ source: 'b[/]c', flags: '' }]],
    ['date', [{ source: 'd+', flags: '' }]],
    ['last', [{ source: 'f', flags: 'g' }]],
  ]);
});

test('reads at most 500 names of a file', () => {
  const code = Array.from({ length: 600 }, (_, index) => `const a${index} = /b/;`).join('\n');
  expect(namedPatterns(code).size).toBe(500);
});

test.each([
  ['A', ['A']],
  ['internals.A', ['A']],
  ['strict ? A : forms.b', ['A', 'b']],
  ['this?.a', ['a']],
  ['make(1)', []],
])('names what %s stands for', (code, names) => {
  expect(lastNames(code)).toEqual(names);
});
