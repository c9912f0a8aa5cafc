import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJoinedQuote, findQuote } from '../../../../shared/diff/position/find-quote.ts';

test.each<[name: string, lines: readonly string[], quote: string, runs: readonly [number, number][]]>([
  ['one line within a line', ['a', 'if (wrong)', 'b'], 'wrong', [[1, 1]]],
  ['a line with other white space', ['if  (wrong)\t{'], 'if (wrong) {', [[0, 0]]],
  ['two lines, cut at both ends', ['const a = first(', 'second);'], 'first(\nsecond', [[0, 1]]],
  ['three lines, the inner one whole', ['x head', 'inner', 'tail y'], 'head\ninner\ntail', [[0, 2]]],
  ['three lines, the inner one longer', ['x head', 'inner more', 'tail y'], 'head\ninner\ntail', []],
  [
    'equal lines, as often as they fit',
    Array.from({ length: 5 }, () => 'same'),
    'same\nsame\nsame',
    [
      [0, 2],
      [1, 3],
      [2, 4],
    ],
  ],
  ['empty lines around it', ['wrong'], '\n\nwrong\n\n', [[0, 0]]],
  ['nothing of substance', ['a', '}'], '}', []],
  ['more lines than there are', ['wrong'], 'wrong\nwrong', []],
])('finds %s', (_name, lines, quote, runs) => {
  expect(findQuote(lines, quote)).toEqual(runs.map(([first, last]) => ({ first, last })));
});

/** Looks at every line anew. */
const slowly = (lines: readonly string[], quote: string): readonly number[] => {
  const wanted = quote.split('\n');
  const holds = (first: number): boolean =>
    wanted.every((text, offset) => {
      const row = lines[first + offset] ?? '';
      if (offset === 0) return row.endsWith(text);
      return offset === wanted.length - 1 ? row.startsWith(text) : row === text;
    });
  return lines.flatMap((_, first) => (first + wanted.length <= lines.length && holds(first) ? [first] : []));
};

test('finds what a search finds that looks at every line anew', () => {
  const line = fc.constantFrom('aaaa', 'aaaab', 'baaaa', 'b', '');
  const quote = fc
    .tuple(fc.constantFrom('aaaa', 'aaaab'), fc.array(line, { maxLength: 6 }), fc.constantFrom('aaaa', 'baaaa'))
    .map(([head, inner, tail]) => [head, ...inner, tail].join('\n'));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 24 }), quote, (lines, wanted) => {
      expect(findQuote(lines, wanted).map(({ first }) => first)).toEqual(slowly(lines, wanted));
    }),
    { numRuns: 2_000 },
  );
});

test.each<[string, readonly string[], string, readonly (readonly [number, number])[]]>([
  ['two lines as one', ['a();', '  first();', 'second();', 'b();'], 'first(); second();', [[1, 2]]],
  ['one line as two', ['a();', 'call(one, two);'], 'call(one,\n  two);', [[1, 1]]],
  ['lines with a blank line between', ['first();', '', 'second();'], 'first(); second();', [[0, 2]]],
  [
    'several places',
    ['ab', 'cd', 'ab', 'cd'],
    'ab cd',
    [
      [0, 1],
      [2, 3],
    ],
  ],
  ['part of two lines', ['xx first(', 'one) yy'], 'first( one)', [[0, 1]]],
  ['nothing', ['first();'], 'second();', []],
  ['nothing in an empty file', [''], 'second();', []],
  ['too little', ['a b'], 'a b', []],
])('findJoinedQuote finds %s', (_name, lines, quote, runs) => {
  expect(findJoinedQuote(lines, quote)).toEqual(runs.map(([first, last]) => ({ first, last })));
});

test('findJoinedQuote stops after 20 matches', () => {
  expect(findJoinedQuote(Array(50).fill('aaaa;'), 'aaaa;')).toHaveLength(20);
});
