import { expect, test } from 'vitest';
import { editedNames, moduleName, usedNames } from '../../../../services/reviewer/packet/changed-names.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';

/** The rows of a whole file, each with its sign. */
const namesIn = (...rows: readonly string[]) => {
  const count = (sign: string): number => rows.filter((row) => row.startsWith(' ') || row.startsWith(sign)).length;
  const range = (lines: number): string => `${lines === 0 ? 0 : 1},${lines}`;
  const header = `@@ -${range(count('-'))} +${range(count('+'))} @@`;
  const { files } = parseDiff(`diff --git a/a.x b/a.x\n--- a/a.x\n+++ b/a.x\n${header}\n${rows.join('\n')}\n`);
  const [file] = files;
  if (file === undefined) throw new Error('no file');
  const shown = { file, hunks: file.hunks };
  const head = rows.filter((row) => !row.startsWith('-')).map((row) => row.slice(1));
  return { edited: editedNames(shown, head), used: usedNames(shown) };
};

test.each<[what: string, rows: readonly string[], names: readonly string[]]>([
  ['a function that is defined', ['+export const total = (all) => 1;'], ['total']],
  ['a function that is removed', ['-export function total(all) {}', ' next();'], ['total']],
  ['the function around a line', [' function total(all) {', '+  return 1;', ' }'], ['total']],
  ['no local variable, but its function', [' function total(all) {', '+  const sum = 1;', ' }'], ['total']],
  [
    'no local function, but that around it',
    [' const total = (all) => {', '   const add = (a) => {', '+    go();', '   };', ' };'],
    ['total'],
  ],
  ['a method with its class', [' class Cart {', '   total(all) {', '+    return 1;', '   }', ' }'], ['total']],
  [
    'a method in Java',
    [' public class Cart {', '   public int total(List<Item> all) {', '+    return 1;', '   }', ' }'],
    ['total'],
  ],
  ['a function in C', [' static int total(int all)', ' {', '+\treturn 1;', ' }'], ['total']],
  ['a method in Go', [' func (c *Cart) Total(all int) int {', '+\treturn 1', ' }'], ['Total']],
  ['a function in Python', [' def total(all):', '+    return 1'], ['total']],
  ['not the callee of a callback', [" describe('cart', () => {", '+  go();', ' });'], []],
  ['no control statement', [' if (all) {', '+  go();', ' }'], []],
  ['nothing of comments', ['+// function total() {}'], []],
  ['nothing of a name that is too short', ['+function f() {}'], []],
])('the names of a change are %s', (_what, rows, names) => {
  expect(namesIn(...rows).edited).toEqual(names);
});

test.each<[what: string, row: string, names: readonly string[]]>([
  ['called functions and types', 'const a: Cart = taxOf(b, new Money(1));', ['Cart', 'taxOf', 'Money']],
  ['methods with compound names only', 'a.taxOf(b).map(c).get(d);', ['taxOf']],
  ['no methods of the standard library', 'a.forEach(b => b.startsWith(c));', []],
  ['no keywords', 'if (a) while (b) return typeof (c);', []],
  ['no names of a comment', '// call taxOf(a)', []],
])('the names that a change uses are %s', (_what, row, names) => {
  expect(namesIn(`+${row}`).used).toEqual(names);
});

test('a name that a line of the hunks defines is not looked up', () => {
  expect(namesIn(' function taxOf(a) {}', '+taxOf(1);', '+rateOf(2);').used).toEqual(['rateOf']);
});

test.each([
  ['src/cart.ts', 'cart'],
  ['src/cart.test.ts', 'cart'],
  ['src/cart/index.ts', 'cart'],
  ['src/cart/__init__.py', 'cart'],
  ['src/shopping-cart.vue', 'shopping-cart'],
  ['src/utils.ts', null],
  ['index.ts', null],
  ['src/a.ts', null],
  ['src/große.ts', null],
])('the module of %s is %s', (path, name) => {
  expect(moduleName(path)).toBe(name);
});
