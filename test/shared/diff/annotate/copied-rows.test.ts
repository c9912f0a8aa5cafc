/** Whole diffs are annotated as bytes, a word at a time. `annotateFile` writes the same text from decoded lines. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotateFile } from '../../../../shared/diff/annotate/annotate-file.ts';
import { annotateWhole } from '../../../../shared/diff/annotate/annotate-whole.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import { modified } from '../diff-text.ts';

const UNLIMITED = Number.POSITIVE_INFINITY;

/** Bytes that differ from a line feed in one bit or by one, and bytes at which a test of a whole word could be wrong. */
const NEAR_LF = ['\x00', '\x01', '\x09', '\x0b', '\x0e', '\x1a', '\x2a', '\x4a', '\x7f', '\x80', '\x8a', '\xff'];
const PIECES = [...NEAR_LF, '', 'a', 'word', 'two words', '\r', '\x0c', '\xc2\x85', '\xe2\x80\xa8', 'caf\xc3\xa9'];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((pieces) => pieces.join(''));
const row = fc.record({ sign: fc.constantFrom(' ', '+', '-'), text });

type Row = { readonly sign: string; readonly text: string };

const count = (rows: readonly Row[], but: string): number => rows.filter(({ sign }) => sign !== but).length;

const hunkOf = (rows: readonly Row[], start: number): string => {
  const [oldLines, newLines] = [count(rows, '+'), count(rows, '-')];
  const range = (lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;
  return `@@ -${range(oldLines)} +${range(newLines)} @@ f()\n${rows.map((each) => `${each.sign}${each.text}\n`).join('')}`;
};

const file = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 8 }),
  start: fc.constantFrom(1, 8, 97, 9_996),
});

const expectSameText = (diff: Buffer): void => {
  const { files } = parseDiff(diff);
  const expected = files.map(annotateFile).join('\n');
  expect(annotateWhole(files, UNLIMITED)).toBe(expected);
  expect(annotateWhole(files, Buffer.byteLength(expected))).toBe(expected);
  expect(annotateWhole(files, Buffer.byteLength(expected) - 1)).toBeNull();
};

describe('annotated bytes', () => {
  test('are the text of the decoded lines, whatever the lines contain', () => {
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 4 }), (files) => {
        const names = files.map(({ rows, start }, index) => modified(`f${index}`, hunkOf(rows, start)));
        expectSameText(Buffer.from(names.join(''), 'latin1'));
      }),
      { numRuns: 300 },
    );
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('end where the source ends, after a row of %i bytes', (length) => {
    const rows = [{ sign: '+', text: 'x'.repeat(length) }];
    const whole = Buffer.from(modified('f', hunkOf(rows, 1)));
    // The buffer has no byte behind the diff that could be read.
    expectSameText(Buffer.concat([whole], whole.length));
  });

  test('keep their order and their limit over several buffers, with a file that must be decoded between others', () => {
    const many = (from: number, suffix: string): string[] =>
      Array.from({ length: 700 }, (_, index) =>
        modified(`f${from + index}`, hunkOf([{ sign: '+', text: `${'long '.repeat(200)}${index}${suffix}` }], 1)),
      );
    const combined =
      'diff --cc m\nindex 1111111,2222222..3333333\n--- a/m\n+++ b/m\n@@@ -1,1 -1,1 +1,2 @@@\n  a\n++b\n';
    const oddFile = modified('odd', hunkOf([{ sign: '+', text: 'a\x0bb' }], 1));
    const texts = [...many(0, ''), oddFile, ...many(1000, 'caf\xc3\xa9'), combined, ...many(2000, '')];
    expectSameText(Buffer.from(texts.join(''), 'latin1'));
  });
});
