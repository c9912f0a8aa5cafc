import { describe, expect, it } from 'vitest';
import { sortNotReviewed } from '../../../../services/reviewer/check/not-reviewed.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';

const diff = parseDiff(
  [
    'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n',
    'diff --git a/old.ts b/new.ts\nsimilarity index 90%\nrename from old.ts\nrename to new.ts\n--- a/old.ts\n+++ b/new.ts\n@@ -1 +1 @@\n-a\n+b\n',
    'diff --git a/Makefile b/Makefile\n--- a/Makefile\n+++ b/Makefile\n@@ -1 +1 @@\n-a\n+b\n',
  ].join(''),
);

describe('F-W11: what a model says that it did not review', () => {
  it.each<[string, string, string]>([
    ['a file of the change', 'src/a.ts', 'src/a.ts'],
    ['a file with the prefix of a diff', 'b/src/a.ts', 'src/a.ts'],
    ['the former name of a file', 'old.ts', 'new.ts'],
    ['the former name with the prefix of a diff', 'a/old.ts', 'new.ts'],
    ['a file without an ending', 'Makefile', 'Makefile'],
    ['a folder with changed files', 'src/', 'src/'],
    ['a folder without the slash', 'src', 'src'],
    ['a pattern', 'src/*.ts', 'src/*.ts'],
    ['a pattern with a list', '{src,lib}/a.ts', '{src,lib}/a.ts'],
    ['words', 'the rest of the change', 'the rest of the change'],
    ['one word', 'everything', 'everything'],
    ['no name', '(unnamed)', '(unnamed)'],
    ['dots', '...', '...'],
  ])('%s counts as not reviewed', (_name, path, expected) => {
    const sorted = sortNotReviewed([{ path, reason: 'r' }], diff);
    expect(sorted).toEqual({ omitted: [{ path: expected, reason: 'r' }], notOfChange: [] });
  });

  it.each(['nope.py', 'src/b.ts', 'test/a.ts', 'n/a', 'srcs/a.ts'])('%s is of no change', (path) => {
    const sorted = sortNotReviewed(
      [
        { path, reason: 'r' },
        { path, reason: 's' },
      ],
      diff,
    );
    expect(sorted).toEqual({ omitted: [], notOfChange: [path] });
  });

  it('names at most twenty others', () => {
    const said = Array.from({ length: 50 }, (_, index) => ({ path: `x/${index}.ts`, reason: '' }));
    expect(sortNotReviewed(said, diff).notOfChange).toHaveLength(20);
  });
});
