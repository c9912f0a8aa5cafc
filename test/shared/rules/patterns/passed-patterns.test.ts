import { expect, test } from 'vitest';
import { createPassedValues } from '../../../../shared/rules/patterns/passed-patterns.ts';

const passedIn = (lines: readonly string[], name: string, line: number): readonly string[] =>
  createPassedValues(lines.join('\n'))(name, line).map((each) => `${each.code} at ${each.line}`);

test('finds what the calls pass to a parameter', () => {
  const lines = [
    'function find(text, pattern /* RegExp */) {',
    '  return pattern.exec(text);',
    '}',
    "find('a, (b', /c/);",
    'const all = [find(b(1, 2), d), find(e)];',
  ];
  expect(passedIn(lines, 'pattern', 2)).toEqual(['/c/ at 4', 'd at 5']);
  expect(passedIn(lines, 'text', 2)).toEqual(["'a, (b' at 4", 'b(1, 2) at 5', 'e at 5']);
  expect(passedIn(lines, 'other', 2)).toEqual([]);
  expect(passedIn(lines, 'pattern', 0)).toEqual([]);
});

test('knows functions that are assigned or in an object', () => {
  const lines = [
    'const make = (pattern: RegExp) => {',
    '  return (text) => pattern.exec(text);',
    '};',
    'const tools = {',
    '  take: function (pattern = null) {',
    '    return pattern;',
    '  },',
    '};',
    'make(/a/); tools.take(/b/); remake(/c/); tools.last(/d/);',
    'tools.last = function (end) {',
    '  return end;',
    '};',
  ];
  expect(passedIn(lines, 'pattern', 2)).toEqual(['/a/ at 9']);
  expect(passedIn(lines, 'pattern', 6)).toEqual(['/b/ at 9']);
  expect(passedIn(lines, 'end', 11)).toEqual(['/d/ at 9']);
});

test('a condition is no function, and no more than 20 calls count', () => {
  expect(passedIn(['if (a) {', '  a.test(b);', '}', 'if(c);'], 'a', 2)).toEqual([]);
  expect(passedIn(['function f(a) {', '  use(a);', '}', 'f(1);'.repeat(30)], 'a', 2)).toHaveLength(20);
});

test('gives up a call whose end is far away', () => {
  expect(passedIn(['function f(a) {', '  use(a);', '}', `f(b, '${'c'.repeat(1000)}');`], 'a', 2)).toEqual([]);
});
