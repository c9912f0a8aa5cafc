import { expect, it } from 'vitest';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { replacedLines } from '../../../shared/diff/replaced-lines.ts';

const HEAD =
  'diff --git a/a.ts b/b.ts\nsimilarity index 90%\nrename from a.ts\nrename to b.ts\n--- a/a.ts\n+++ b/b.ts\n';

const replaced = (rows: readonly string[], line: number, startLine = line) => {
  const count = (sign: string): number => rows.filter((row) => row.startsWith(' ') || row.startsWith(sign)).length;
  const text = `${HEAD}@@ -11,${count('-')} +21,${count('+')} @@\n${rows.join('\n')}\n`;
  return replacedLines(parseDiff(Buffer.from(text)), { path: 'a.ts', side: 'new', startLine, line });
};

const at = (startLine: number, line: number) => ({ path: 'b.ts', startLine, line });

it.each([
  ['a line that was rewritten', [' a', '-b', '+c', ' d'], 12, at(22, 22)],
  ['a line that became three', [' a', '-b', '+c', '+d', '+e', ' f'], 12, at(22, 24)],
  ['the second of two rewritten blocks', [' a', '-b', '+c', ' d', '-e', '+f', ' g'], 14, at(24, 24)],
  ['a line that was taken away', [' a', '-b', ' c'], 12, null],
  ['a line that stays', [' a', '-b', '+c', ' d'], 13, null],
  ['a line of another place', [' a', '-b', '+c', ' d'], 80, null],
  ['one of many lines that were rewritten', [' a', '-b', '-c', '-d', '-e', '+f', ' g'], 12, null],
  ['a line that became many', [' a', '-b', '+c', '+d', '+e', '+f', ' g'], 12, null],
] as const)('tells what was put in the place of %s', (_, rows, line, expected) => {
  expect(replaced(rows, line)).toEqual(expected);
});

it('counts a range as rewritten where one of its lines was', () => {
  expect(replaced([' a', '-b', '+c', ' d'], 13, 11)).toEqual(at(22, 22));
});

it('says nothing about a file that the diff does not hold', () => {
  const place = { path: 'c.ts', side: 'new', startLine: 12, line: 12 } as const;
  expect(replacedLines(parseDiff(Buffer.from(`${HEAD}@@ -12 +12 @@\n-b\n+c\n`)), place)).toBeNull();
});
