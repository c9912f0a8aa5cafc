import { expect, test } from 'vitest';
import { functionAround } from '../../../../shared/diff/position/function-around.ts';

/** The line that is asked about ends with `<<`; the lines of its function begin with `|`. */
const expectAround = (marked: readonly string[]): void => {
  const lines = marked.map((line) => line.slice(1).replace(/ ?<<$/, ''));
  const asked = marked.findIndex((line) => line.endsWith('<<')) + 1;
  const inside = marked.flatMap((line, index) => (line.startsWith('|') ? [index + 1] : []));
  const found = functionAround(lines, asked);
  expect(found).toEqual(inside.length === 0 ? null : { startLine: inside[0], line: inside.at(-1) });
};

test.each<[string, readonly string[]]>([
  [
    'TypeScript',
    ['.const a = 1;', '|export function total(all) {', '|  if (all) {', '|    return 1; <<', '|  }', '|}', '.b();'],
  ],
  [
    'a heading of several lines',
    ['.a();', '|const f = (', '|  one: string,', '|): void => {', '|  call(); <<', '|};', '.b();'],
  ],
  ['a method', ['.class A {', '.  x = 1;', '|  get() {', '|    return 2; <<', '|  }', '.  y = 3;', '.}']],
  ['a callback', ['.start();', "|test('x', () => {", '|  one(); <<', '|});', '.other();']],
  [
    'Python, with a call as the changed line',
    ['.import a', '|def f(x):', '|    y = g(x) <<', '|    return y', '.', '.z = 1'],
  ],
  [
    'Python, with else',
    ['|def f(x):', '|    if x:', '|        a()', '|    else:', '|        b() <<', '.', '.def g(): pass'],
  ],
  [
    'C with the brace on its own line',
    ['.#include <a.h>', '|static int f(int a)', '|{', '|\treturn a; <<', '|}', '.int b;'],
  ],
  ['Go', ['.var a = 1', '|func (s *Server) Run(x int) error {', '|\treturn s.run(x) <<', '|}', '.']],
  ['an end with a semicolon', ['.a();', '|function f(x)', '|  return g(x); <<', '|end;', '.b();']],
  ['Ruby', ['.class A', '|  def run(x)', '|    go(x) <<', '|  end', '.end']],
  ['Rust', ['.use a;', '|pub fn f() -> u8 {', '|    let x = 1; <<', '|    x', '|}', '.fn g() {}']],
  ['the heading itself', ['.a();', '|function f(x) { <<', '|  return x;', '|}', '.b();']],
  ['the top level', ['.a();', '.b(); <<', '.c();']],
  ['prose', ['.Some words', '.and more of them. <<']],
])('finds the function around a line: %s', (_, marked) => expectAround(marked));

test('looks at most 400 lines far, and knows no line outside of the file', () => {
  const long = ['function f() {', ...Array.from({ length: 600 }, () => '  a();'), '}'];
  expect(functionAround(long, 500)).toBeNull();
  expect(functionAround(long, 2)).toEqual({ startLine: 1, line: 401 });
  expect(functionAround(long, 9_000)).toBeNull();
  expect(functionAround([], 1)).toBeNull();
});
