import fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotatedBytes, splitFile } from '../../../../shared/diff/annotate/split-file.ts';
import { hunkLines } from '../../../../shared/diff/hunk-lines.ts';
import type { DiffFile } from '../../../../shared/diff/model.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';

const HEAD = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n';

/** One hunk for each list of rows. */
const fileOf = (hunks: readonly (readonly string[])[]): DiffFile => {
  let at = 1;
  const text = hunks.map((rows) => {
    const count = (sign: string): number => rows.filter((row) => row.startsWith(' ') || row.startsWith(sign)).length;
    const [removed, added] = [count('-'), count('+')];
    const header = `@@ -${removed === 0 ? at - 1 : at},${removed} +${added === 0 ? at - 1 : at},${added} @@\n`;
    at += 1_000;
    return `${header}${rows.join('\n')}\n`;
  });
  const [file] = parseDiff(Buffer.from(HEAD + text.join(''))).files;
  if (file === undefined) throw new Error('no file');
  return file;
};

const rows = fc.array(
  fc.tuple(fc.constantFrom(' ', '+', '-'), fc.stringMatching(/^[a-zäß{} ]{0,20}$/)).map(([sign, text]) => sign + text),
  { minLength: 1, maxLength: 40 },
);
const hunks = fc
  .array(
    rows.filter((each) => each.some((row) => !row.startsWith(' '))),
    { minLength: 1, maxLength: 4 },
  )
  .map(fileOf);

const linesIn = ({ hunks: all }: DiffFile): readonly string[] =>
  all.flatMap((hunk) => hunkLines(hunk)).map((line) => JSON.stringify(line));

test('every line of the file is in exactly one piece, with its number, and every piece of several rows fits', () => {
  fc.assert(
    fc.property(hunks, fc.integer({ min: 120, max: 900 }), (file, maxBytes) => {
      const pieces = splitFile(file, maxBytes);
      expect(pieces.flatMap(linesIn)).toEqual(linesIn(file));
      expect(pieces.reduce((sum, { added }) => sum + added, 0)).toBe(file.added);
      expect(pieces.reduce((sum, { removed }) => sum + removed, 0)).toBe(file.removed);
      for (const piece of pieces) {
        expect(piece.newPath).toBe('a.ts');
        expect(annotatedBytes(piece) <= maxBytes || linesIn(piece).length === 1).toBe(true);
      }
    }),
    { seed: 22 },
  );
});

test('a file that fits stays as it is', () => {
  const file = fileOf([['+one', ' two']]);
  expect(splitFile(file, 10_000)).toEqual([file]);
});

test('a single line above the limit stays whole', () => {
  const file = fileOf([[`+${'x'.repeat(500)}`, '+short']]);
  expect(splitFile(file, 200).map(({ added }) => added)).toEqual([1, 1]);
});
