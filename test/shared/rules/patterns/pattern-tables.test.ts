import { expect, test } from 'vitest';
import { indexedNames, listsOfItem, tablePatterns } from '../../../../shared/rules/patterns/pattern-tables.ts';

const sources = (name: string, text: string): readonly string[] =>
  tablePatterns(name, text).map(({ source, flags }) => `/${source}/${flags}`);

test('finds the patterns of the lists and objects with the name', () => {
  const text =
    'const forms = {\n  a: /a/i,\n  b: [/b/, 4 / 2, /c[/]/],\n};\nconst other = { d: /d/ };\nlib.forms = [/e/];\n';
  expect(sources('forms', text)).toEqual(['/a/i', '/b/', '/c[/]/', '/e/']);
  expect(sources('other', text)).toEqual(['/d/']);
  expect(sources('orms', text)).toEqual([]);
});

test('ends at the closing bracket, and after 6,000 characters', () => {
  expect(sources('a', 'a = { b: /c/ };\nd = { e: /f/ };')).toEqual(['/c/']);
  expect(sources('a', `a = [/b/, ${' '.repeat(6000)}, /c/];`)).toEqual(['/b/']);
});

test('reads at most three tables, and 60 patterns of one', () => {
  expect(sources('a', 'a = [/b/];'.repeat(5))).toHaveLength(3);
  expect(sources('a', `a = [${'/b/, '.repeat(100)}];`)).toHaveLength(60);
});

test('names the tables of an expression', () => {
  expect(indexedNames('lib.forms[key] ?? other[0]')).toEqual(['forms', 'other']);
  expect(indexedNames('forms')).toEqual([]);
});

test('names the list whose callback takes the item', () => {
  const lines = [
    'ENDS.some((each) =>',
    '  each.test(text));',
    'this.heads.forEach(function (head, index) {',
    '  head.test(text);',
  ];
  expect(listsOfItem('each', lines, 2)).toEqual(['ENDS']);
  expect(listsOfItem('head', lines, 4)).toEqual(['heads']);
  expect(listsOfItem('index', lines, 4)).toEqual([]);
  expect(listsOfItem('each', [...lines, ...Array.from({ length: 50 }, () => '')], 50)).toEqual([]);
});
