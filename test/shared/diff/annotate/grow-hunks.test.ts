import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutHunk } from '../../../../shared/diff/annotate/cut-hunk.ts';
import { growHunks, type HeadRange } from '../../../../shared/diff/annotate/grow-hunks.ts';
import { hunkLines } from '../../../../shared/diff/hunk-lines.ts';
import type { Hunk } from '../../../../shared/diff/model.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';

const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 5_000 : 300;
const CONTEXT = 3;

/** Rows of a whole file with their signs, as the hunks that git prints for them. */
const hunksOf = (rows: readonly string[], context = CONTEXT, section = ''): readonly Hunk[] => {
  const near = (at: number): boolean =>
    rows.slice(Math.max(0, at - context), at + context + 1).some((row) => !row.startsWith(' '));
  const text: string[] = [];
  let [old, own] = [1, 1];
  for (let at = 0; at < rows.length; ) {
    const start = at;
    while (at < rows.length && near(at)) at += 1;
    const body = rows.slice(start, at);
    const oldLines = body.filter((row) => !row.startsWith('+')).length;
    const newLines = body.filter((row) => !row.startsWith('-')).length;
    const range = (first: number, count: number): string => `${count === 0 ? first - 1 : first},${count}`;
    if (body.length > 0) text.push(`@@ -${range(old, oldLines)} +${range(own, newLines)} @@${section}`, ...body);
    [old, own] = [old + oldLines, own + newLines];
    if (at < rows.length && body.length === 0) {
      at += 1;
      [old, own] = [old + 1, own + 1];
    }
  }
  return parseDiff(`diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n${text.join('\n')}\n`).files[0]?.hunks ?? [];
};

const sideOf = (rows: readonly string[], removed: string): readonly string[] =>
  rows.filter((row) => !row.startsWith(removed)).map((row) => row.slice(1));

const row = fc
  .tuple(
    fc.oneof({ weight: 6, arbitrary: fc.constant(' ') }, { weight: 1, arbitrary: fc.constantFrom('+', '-') }),
    fc.stringMatching(/^[a-zä{} ]{0,5}$/),
  )
  .map(([sign, text]) => sign + text);
const files = fc
  .array(row, { minLength: 1, maxLength: 80 })
  .filter((rows) => rows.some((each) => !each.startsWith(' ')));
const ranges = fc.array(
  fc
    .tuple(fc.integer({ min: 1, max: 85 }), fc.integer({ min: 0, max: 20 }))
    .map(([first, count]) => ({ first, last: first + count })),
  { minLength: 1, maxLength: 4 },
);

const keys = (hunks: readonly Hunk[], kinds: readonly string[]): readonly string[] =>
  hunks
    .flatMap((hunk) => hunkLines(hunk))
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, oldLine, newLine, text }) => `${kind} ${oldLine} ${newLine} ${text}`);

test('keeps every changed row with its numbers exactly once, and adds only unchanged lines as both sides have them', () => {
  fc.assert(
    fc.property(files, ranges, fc.constantFrom(0, 1, CONTEXT), fc.boolean(), (rows, wanted, context, isCut) => {
      const all = hunksOf(rows, context);
      const [old, head] = [sideOf(rows, '+'), sideOf(rows, '-')];
      const shown = isCut ? all.slice(0, 2).flatMap((hunk) => cutHunk(hunk, new Set([hunk.newStart + 1]), 1)) : all;
      const grown = growHunks({ all, shown, head }, wanted);
      const changed = ['added', 'removed'];
      expect(keys(grown, changed)).toEqual(keys(shown, changed));
      const lines = grown.flatMap((hunk) => hunkLines(hunk));
      for (const { kind, oldLine, newLine, text } of lines) {
        if (newLine !== null) expect(text).toBe(head[newLine - 1]);
        if (kind !== 'added') expect(text).toBe(old[(oldLine ?? 0) - 1]);
      }
      const context2 = keys(grown, ['context']);
      expect(new Set(context2).size).toBe(context2.length);
      for (const line of keys(shown, ['context'])) expect(context2).toContain(line);
      const inHunks = new Set(all.flatMap((hunk) => hunkLines(hunk).map(({ newLine }) => newLine)));
      const asked = (line: number): boolean => wanted.some(({ first, last }) => first <= line && line <= last);
      if (shown.length > 0)
        for (let line = 1; line <= head.length; line += 1)
          if (asked(line) && !inHunks.has(line)) expect(lines.map(({ newLine }) => newLine)).toContain(line);
      const printed = grown.map(({ source, headerStart, bodyEnd }) => source.toString('utf8', headerStart, bodyEnd));
      if (grown.length === 0) return;
      const again = parseDiff(`diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n${printed.join('')}`).files[0]?.hunks;
      const numbers = (hunks: readonly Hunk[] = []) =>
        hunks.map(({ oldStart, oldLines, newStart, newLines }) => [oldStart, oldLines, newStart, newLines]);
      expect(numbers(again)).toEqual(numbers(grown));
      expect(numbers(grown)).toEqual(numbers(grown.toSorted((one, other) => one.newStart - other.newStart)));
    }),
    { seed: 23, numRuns: RUNS },
  );
});

const show = (hunks: readonly Hunk[]): readonly string[] =>
  hunks.flatMap(({ source, headerStart, bodyEnd }) =>
    source.toString('utf8', headerStart, bodyEnd).trimEnd().split('\n'),
  );

const letters = (text: string): readonly string[] => text.split('').map((letter) => ` ${letter}`);

test.each<[what: string, rows: readonly string[], wanted: readonly HeadRange[], shown: readonly string[]]>([
  [
    'lines above and below become context rows',
    [...letters('abcd'), '-x', '+y', ...letters('efgh')],
    [{ first: 2, last: 7 }],
    ['@@ -2,6 +2,6 @@', ...letters('bcd'), '-x', '+y', ...letters('ef')],
  ],
  [
    'hunks that touch become one, with the numbers of both sides',
    ['+x', ...letters('abcdef'), '-y', ...letters('g')],
    [{ first: 3, last: 6 }],
    ['@@ -1,8 +1,8 @@', '+x', ...letters('abcdef'), '-y', ...letters('g')],
  ],
  [
    'lines that touch no hunk are a hunk without changes',
    [...letters('abcdefghij'), '-x'],
    [{ first: 1, last: 2 }],
    ['@@ -1,2 +1,2 @@', ...letters('ab'), '@@ -10,2 +10,1 @@', ...letters('j'), '-x'],
  ],
  [
    'a gap of three lines is filled',
    [...letters('abcdef'), '+x'],
    [{ first: 1, last: 2 }],
    ['@@ -1,6 +1,7 @@', ...letters('abcdef'), '+x'],
  ],
  ['nothing is wanted', ['+x', ...letters('ab')], [], ['@@ -1,1 +1,2 @@', '+x', ...letters('a')]],
  [
    'lines beyond the file are not there',
    ['+x', ...letters('abcde')],
    [{ first: 5, last: 900 }],
    ['@@ -1,5 +1,6 @@', '+x', ...letters('abcde')],
  ],
])('%s', (_, rows, wanted, shown) => {
  const all = hunksOf(rows, 1);
  expect(show(growHunks({ all, shown: all, head: sideOf(rows, '-') }, wanted))).toEqual(shown);
});

test('a heading is dropped once its line is shown, and kept otherwise', () => {
  const rows = [' f() {', ...letters('abcd'), '+x', ...letters('e')];
  const all = hunksOf(rows, 1, ' f() {');
  const sections = (wanted: HeadRange) =>
    growHunks({ all, shown: all, head: sideOf(rows, '-') }, [wanted]).map(({ section }) => section);
  expect(sections({ first: 1, last: 5 })).toEqual(['']);
  expect(sections({ first: 4, last: 5 })).toEqual(['f() {']);
});

test('changed lines that are not shown are never added, and a text that git did not compare adds nothing', () => {
  const rows = ['+a', ...letters('bcdefgh'), '+i', ...letters('jklm')];
  const all = hunksOf(rows, 1);
  const head = sideOf(rows, '-');
  const [first] = all;
  const shown = first === undefined ? [] : [first];
  const grown = growHunks({ all, shown, head }, [{ first: 1, last: 13 }]);
  expect(show(grown)).toEqual(['@@ -1,6 +1,7 @@', '+a', ...letters('bcdefg'), '@@ -9,3 +11,3 @@', ...letters('klm')]);
  const other = head.map((line) => line.toUpperCase());
  expect(growHunks({ all, shown, head: other }, [{ first: 1, last: 13 }])).toBe(shown);
});
