import { describe, expect, test } from 'vitest';
import { createChangedSince } from '../../../../shared/diff/position/changed-since.ts';
import { added, deleted, diffOf, modified, renamed } from '../diff-text.ts';

const lines = (startLine: number, line = startLine) => ({ startLine, line });

describe('createChangedSince', () => {
  const between = diffOf(
    modified(
      'a.ts',
      '@@ -2,4 +2,4 @@\n two();\n-three();\n+THREE();\n four();\n five();\n@@ -20,3 +20,2 @@\n x();\n-y();\n z();\n',
    ),
    modified('zero.ts', '@@ -5,2 +4,0 @@\n-five();\n-six();\n'),
    renamed('b.ts', 'c.ts', '@@ -1 +1 @@\n-x\n+y\n'),
    added('new.ts', 'one();', 'two();'),
    deleted('old.ts', 'one();'),
  );
  const isChanged = createChangedSince(between);

  test.each([
    ['an added line', 'a.ts', lines(3), true],
    ['lines around it', 'a.ts', lines(2, 4), true],
    ['the line before it', 'a.ts', lines(2), false],
    ['the line after it', 'a.ts', lines(4), false],
    ['a line of no hunk', 'a.ts', lines(10), false],
    ['lines between which one was removed', 'a.ts', lines(20, 21), true],
    ['the line before a removed one', 'a.ts', lines(20), false],
    ['the line after a removed one', 'a.ts', lines(21), false],
    ['lines between which one was removed, without context', 'zero.ts', lines(4, 5), true],
    ['lines above these', 'zero.ts', lines(3, 4), false],
    ['a renamed file', 'c.ts', lines(1), true],
    ['an unchanged line of a renamed file', 'c.ts', lines(2), false],
    ['an added file', 'new.ts', lines(2), true],
    ['a file that did not change', 'other.ts', lines(1), false],
  ])('says whether %s changed', (_what, path, span, expected) => {
    expect(isChanged(path, span)).toBe(expected);
  });

  test('takes everything for changed in a file whose changes cannot be read', () => {
    const [file] = diffOf(modified('a.ts', '@@ -1 +1 @@\n-x\n+y\n')).files;
    if (file === undefined) throw new Error('no file');
    for (const unreadable of [{ binary: true }, { complete: false }, { parents: 2 }])
      expect(createChangedSince({ files: [{ ...file, ...unreadable }] })('a.ts', lines(9))).toBe(true);
  });
});
