import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inspectDiff } from '../../../../shared/diff/inspect.ts';
import { DiffParseError } from '../../../../shared/diff/parse/diff-parse-error.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import { printDiff } from '../../../support/print-diff.ts';

const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 3000 : 150;

const SAMPLE = Buffer.from(
  [
    'diff --git a/one.ts b/one.ts\nindex 1111111..2222222 100644\n--- a/one.ts\n+++ b/one.ts\n',
    '@@ -1,3 +1,3 @@ class One {\n a\n-b\n+c\n d\n@@ -10 +10,2 @@\n-x\n+y\n+z\n\\ No newline at end of file\n',
    'diff --git a/f b/f\ndeleted file mode 100644\nindex 1269488..0000000\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-data\n',
    'diff --git a/f b/f\nnew file mode 120000\nindex 0000000..1de5659\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n',
    'diff --git a/p.bin b/p.bin\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n',
    'diff --git a/old name b/new name\nsimilarity index 90%\nrename from old name\nrename to new name\nindex 1111111..2222222 100644\n',
    '--- a/old name\t\n+++ b/new name\t\n@@ -2,2 +2,2 @@\n-é\n+\u2028\n \n',
    'diff --git a/m b/m\nold mode 100644\nnew mode 100755\n',
  ].join(''),
);

test('prints back every kind of file, byte for byte', () => {
  expect(printDiff(parseDiff(SAMPLE)).toString()).toBe(SAMPLE.toString());
});

test('gives the same for a text, for bytes and for a part of a buffer', () => {
  const inside = Buffer.concat([Buffer.from('--- x\n'), SAMPLE, Buffer.from('\n+++')]).subarray(6, 6 + SAMPLE.length);
  const expected = inspectDiff(parseDiff(SAMPLE), { lines: true });
  expect(inspectDiff(parseDiff(SAMPLE.toString()), { lines: true })).toEqual(expected);
  expect(inspectDiff(parseDiff(new Uint8Array(SAMPLE)), { lines: true })).toEqual(expected);
  expect(inspectDiff(parseDiff(inside), { lines: true })).toEqual(expected);
});

test('never gives files for an input that ends early', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: SAMPLE.length - 1 }), (cut) => {
      const head = SAMPLE.subarray(0, cut);
      const whole = parseDiff(SAMPLE).files.map((file) => `${file.newPath} ${file.added} ${file.removed}`);
      try {
        const files = parseDiff(head).files.map((file) => `${file.newPath} ${file.added} ${file.removed}`);
        // What was accepted can only be a run of whole files, or a last one without its content and marked so.
        const certain = parseDiff(head).files.filter((file) => file.complete).length;
        expect(whole.slice(0, certain - 1)).toEqual(files.slice(0, certain - 1));
      } catch (error) {
        expect(error).toBeInstanceOf(DiffParseError);
      }
    }),
    { seed: 7, numRuns: RUNS },
  );
});
