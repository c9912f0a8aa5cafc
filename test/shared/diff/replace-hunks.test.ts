import { describe, expect, it } from 'vitest';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import { replaceHunks } from '../../../shared/diff/replace-hunks.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';

const FILE = parseDiff('diff --git a/f b/f\nindex 1111111..2222222 100644\nBinary files a/f and b/f differ\n').files[0];

const rowsOf = (before: string | null, after: string | null): readonly string[] => {
  if (FILE === undefined) throw new Error('the diff has one file');
  const file = replaceHunks(FILE, before, after);
  const lines = file.hunks.flatMap(hunkLines);
  const count = (wanted: string): number => lines.filter(({ kind }) => kind === wanted).length;
  expect([file.removed, file.added]).toEqual([count('removed'), count('added')]);
  return lines.map(
    ({ oldLine, newLine, text, noNewlineAtEnd }) =>
      `${oldLine ?? ''} ${newLine ?? ''}:${text}${noNewlineAtEnd ? '$' : ''}`,
  );
};

describe('the hunk of two texts', () => {
  it.each([
    ['a line in the middle', 'a\nb\nc\n', 'a\nx\nc\n', ['2 :b', ' 2:x']],
    ['a line that was added', 'a\nc\n', 'a\nb\nc\n', [' 2:b']],
    ['a new file', null, 'a\nb\n', [' 1:a', ' 2:b']],
    ['a deleted file without a newline at its end', 'a\nb', null, ['1 :a', '2 :b$']],
    ['a file that was empty', '', 'a', [' 1:a$']],
    ['the same text', 'a\nb', 'a\nb', []],
    ['a line before an end without a newline', 'a\nb', 'x\nb', ['1 :a', ' 1:x']],
  ])('is what differs: %s', (_what, before, after, rows) => {
    expect(rowsOf(before, after)).toEqual(rows);
  });

  it.each([
    ['is added', 'a\nb', 'a\nb\n', ['2 :b$', ' 2:b']],
    ['is removed', 'a\nb\n', 'a\nb', ['2 :b', ' 2:b$']],
    ['is added before another line', 'a\nb', 'a\nb\nc\n', ['2 :b$', ' 2:b', ' 3:c']],
    ['is the only content', 'a', 'a\n', ['1 :a$', ' 1:a']],
  ])('holds a last line, as in git, whose newline %s', (_what, before, after, rows) => {
    expect(rowsOf(before, after)).toEqual(rows);
  });
});
