import { expect, test } from 'vitest';
import { lastNames, namedPatterns, parsePattern } from '../../../../shared/rules/patterns/named-patterns.ts';

test.each([
  ['/a+/g', { source: 'a+', flags: 'g' }],
  [' /[/]\\/b/ ', { source: '[/]\\/b', flags: '' }],
  ['// a', null],
  ['a / b / c', null],
  ['name', null],
  ['new RegExp("^\\\\s+\\"x\\n$", "gi")', { source: '^\\s+"x\n$', flags: 'gi' }],
  ["RegExp('a+')", { source: 'a+', flags: '' }],
  ["new RegExp('a' + b)", null],
  ['new RegExp(text, "g")', null],
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

test('finds each pattern that the file builds from a literal', () => {
  const code = 'const a = new RegExp("a+$"),\n  b = new RegExp("b" + c);\nthis.d = RegExp(\'d+\', "i");\n';
  expect([...namedPatterns(code)]).toEqual([
    ['a', [{ source: 'a+$', flags: '' }]],
    ['d', [{ source: 'd+', flags: 'i' }]],
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
