import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DiffParseError } from '../../../shared/diff/parse/diff-parse-error.ts';
import { inspectDiff } from '../../../shared/diff/inspect.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import { createDiffParser, parseDiff } from '../../../shared/diff/parse/parse.ts';
import { printDiff } from '../../support/print-diff.ts';

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

const feed = (bytes: Buffer, cuts: readonly number[], maxFileBytes?: number): readonly DiffFile[] => {
  const parser = createDiffParser(maxFileBytes === undefined ? {} : { maxFileBytes });
  const files: DiffFile[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    files.push(...parser.push(bytes.subarray(from, cut)));
    from = cut;
  }
  files.push(...parser.end());
  return files;
};

describe('parsing in chunks', () => {
  test.each(Array.from({ length: 40 }, (_, size) => [size + 1]))(
    'gives the same files in chunks of %i bytes',
    (size) => {
      const cuts = Array.from({ length: Math.floor(SAMPLE.length / size) }, (_, index) => index * size);
      const files = feed(SAMPLE, cuts);
      expect(inspectDiff({ files }, { lines: true })).toEqual(inspectDiff(parseDiff(SAMPLE), { lines: true }));
      expect(printDiff({ files })?.toString()).toBe(SAMPLE.toString());
    },
  );

  test('gives the same files however the input is cut', () => {
    const expected = inspectDiff(parseDiff(SAMPLE), { lines: true });
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: SAMPLE.length }), { maxLength: 30 });
    fc.assert(
      fc.property(cuts, (at) => {
        const files = feed(
          SAMPLE,
          at.toSorted((one, two) => one - two),
        );
        expect(inspectDiff({ files }, { lines: true })).toEqual(expected);
      }),
      { seed: 7, numRuns: RUNS },
    );
  });

  test('gives a file as soon as the next one begins', () => {
    const parser = createDiffParser();
    const second = SAMPLE.indexOf('diff --git a/f');
    expect(parser.push(SAMPLE.subarray(0, second))).toEqual([]);
    expect(parser.push(SAMPLE.subarray(second, second + 30)).map((file) => file.newPath)).toEqual(['one.ts']);
  });

  test('counts the hunks beyond the limit without keeping them, and says so', () => {
    const long = (path: string, lines: number): string =>
      `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines} @@\n${'+0123456789\n'.repeat(lines)}`;
    const bytes = Buffer.from(long('large', 1000) + long('small', 10));
    const cuts = Array.from({ length: Math.floor(bytes.length / 100) }, (_, index) => index * 100);
    const [large, small] = feed(bytes, cuts, 1000);
    expect(large).toMatchObject({ newPath: 'large', added: 1000, complete: false, hunks: [] });
    expect(small).toMatchObject({ newPath: 'small', added: 10, complete: true });
  });

  test('reports the same damage as in one piece', () => {
    const damaged = Buffer.concat([SAMPLE.subarray(0, 140), Buffer.from('?'), SAMPLE.subarray(141)]);
    const whole = () => parseDiff(damaged);
    const chunked = () => feed(damaged, [50, 100, 139, 141, 150]);
    expect(whole).toThrow(DiffParseError);
    expect(chunked).toThrow(DiffParseError);
    const message = (run: () => unknown): string => {
      try {
        run();
        return 'nothing';
      } catch (error) {
        return error instanceof Error ? error.message : 'something else';
      }
    };
    expect(message(chunked)).toBe(message(whole));
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
});
