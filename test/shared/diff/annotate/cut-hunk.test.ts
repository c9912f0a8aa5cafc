import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutHunk } from '../../../../shared/diff/annotate/cut-hunk.ts';
import { hunkLines } from '../../../../shared/diff/hunk-lines.ts';
import type { Hunk } from '../../../../shared/diff/model.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';

const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 5_000 : 200;

const HEAD = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n';

const hunkOf = (rows: readonly string[], start = 11, section = ' f() {'): Hunk => {
  const oldLines = rows.filter((row) => row.startsWith(' ') || row.startsWith('-')).length;
  const newLines = rows.filter((row) => row.startsWith(' ') || row.startsWith('+')).length;
  const range = (lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;
  const text = `${HEAD}@@ -${range(oldLines)} +${range(newLines)} @@${section}\n${rows.join('\n')}\n`;
  const [hunk] = parseDiff(Buffer.from(text)).files[0]?.hunks ?? [];
  if (hunk === undefined) throw new Error(text);
  return hunk;
};

const row = fc
  .tuple(fc.constantFrom(' ', '+', '-'), fc.stringMatching(/^[a-zäß{} ]{0,6}$/))
  .map(([sign, text]) => sign + text);
const bodies = fc
  .array(row, { minLength: 1, maxLength: 60 })
  .filter((rows) => rows.some((each) => !each.startsWith(' ')));

test('every line of a piece is a line of the hunk with the same numbers, and none that is wanted is lost', () => {
  fc.assert(
    fc.property(
      bodies,
      fc.uniqueArray(fc.integer({ min: 1, max: 90 })),
      fc.integer({ min: 0, max: 6 }),
      (rows, lines, context) => {
        const hunk = hunkOf(rows);
        const whole = hunkLines(hunk).map((line) => JSON.stringify(line));
        const pieces = cutHunk(hunk, new Set(lines), context);
        const shown = pieces.flatMap((piece) => hunkLines(piece)).map((line) => JSON.stringify(line));
        expect(shown).toEqual(whole.filter((line) => shown.includes(line)));
        expect(new Set(shown).size).toBe(shown.length);
        const wanted = hunkLines(hunk).filter(({ newLine }) => newLine !== null && lines.includes(newLine));
        for (const line of wanted) expect(shown).toContain(JSON.stringify(line));
        for (const { oldLines, newLines, section } of pieces) {
          expect(oldLines + newLines).toBeGreaterThan(0);
          expect(section).toBe('f() {');
        }
      },
    ),
    { seed: 17, numRuns: RUNS },
  );
});

test.each<[what: string, rows: readonly string[], wanted: readonly number[], shown: readonly string[]]>([
  [
    'two places far apart',
    ['+a', '+b', '+c', '+d', '+e', '+f', '+g'],
    [11, 16],
    ['@@ -10,0 +11,2 @@ f() {', '+a', '+b', '@@ -10,0 +15,3 @@ f() {', '+e', '+f', '+g'],
  ],
  [
    'a removed row, by the line behind it',
    [' a', ' b', '-c', ' d', ' e'],
    [13],
    ['@@ -12,4 +12,3 @@ f() {', ' b', '-c', ' d', ' e'],
  ],
  ['nothing', [' a', '+b'], [90], []],
  ['all of it', ['+a', '+b'], [11, 12], ['@@ -10,0 +11,2 @@ f() {', '+a', '+b']],
  [
    'a last row without its end',
    ['+a', '+b', '+c', '+d', '\\ No newline at end of file'],
    [14],
    ['@@ -10,0 +13,2 @@ f() {', '+c', '+d', '\\ No newline at end of file'],
  ],
])('%s', (_, rows, wanted, shown) => {
  const pieces = cutHunk(hunkOf(rows), new Set(wanted), 1);
  expect(
    pieces.flatMap(({ source, headerStart, bodyEnd }) =>
      source.toString('utf8', headerStart, bodyEnd).trimEnd().split('\n'),
    ),
  ).toEqual(shown);
});
