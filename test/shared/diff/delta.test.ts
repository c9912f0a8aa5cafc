import { describe, expect, test } from 'vitest';
import { compareDiffs, type Delta } from '../../../shared/diff/delta.ts';
import { fingerprint } from '../../../shared/diff/fingerprint.ts';
import { createLineMap } from '../../../shared/diff/position/line-map.ts';
import { moveAnchor } from '../../../shared/diff/position/move-anchor.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { added, deleted, diffOf, modified, renamed } from './diff-text.ts';

const hunk = (start: number, word: string, section = ''): string =>
  `@@ -${start},3 +${start},3 @@${section}\n before ${word}\n-old ${word}\n+new ${word}\n after ${word}\n`;

const states = (delta: Delta) =>
  delta.files.map((file) => [file.file.newPath, file.hunks.map((one) => one.state), file.metadataChanged]);

describe('compareDiffs', () => {
  const first = diffOf(modified('a.ts', hunk(10, 'one'), hunk(30, 'two')), modified('b.ts', hunk(5, 'three')));

  test('is empty for the same change at other numbers', () => {
    const later = diffOf(modified('a.ts', hunk(110, 'one'), hunk(130, 'two')), modified('b.ts', hunk(1, 'three')));
    expect(compareDiffs(first, later)).toMatchObject({ empty: true, gone: [], goneFiles: [] });
  });

  test('tells new, changed, unchanged and gone hunks apart', () => {
    const changed = '@@ -31,3 +31,4 @@\n before two\n-old two\n+new two\n+and more\n after two\n';
    const later = diffOf(modified('a.ts', hunk(10, 'zero'), hunk(20, 'one'), changed));
    const delta = compareDiffs(first, later);
    expect(states(delta)).toEqual([['a.ts', ['new', 'unchanged', 'changed'], false]]);
    expect(delta.files[0]?.hunks[2]?.previous).toBe(first.files[0]?.hunks[1]);
    expect(delta.gone.map((one) => one.file.newPath)).toEqual(['b.ts']);
    expect(delta.goneFiles.map((file) => file.newPath)).toEqual(['b.ts']);
    expect(delta.empty).toBe(false);
  });

  test('says that the same line is changed when it moves into a function of the same shape', () => {
    const before = diffOf(modified('a.py', hunk(10, 'one', ' def first():')));
    const later = diffOf(modified('a.py', hunk(40, 'one', ' def second():')));
    expect(states(compareDiffs(before, later))).toEqual([['a.py', ['changed'], false]]);
  });

  test('says that indentation is a change', () => {
    const before = diffOf(modified('a.py', '@@ -1 +1 @@\n-x\n+    return x\n'));
    const later = diffOf(modified('a.py', '@@ -1 +1 @@\n-x\n+        return x\n'));
    expect(compareDiffs(before, later).empty).toBe(false);
  });

  test('counts equal hunks one by one', () => {
    const same = (start: number) => `@@ -${start} +${start} @@\n-a\n+b\n`;
    const six = diffOf(modified('f', ...[1, 10, 20, 30, 40, 50].map(same)));
    const five = diffOf(modified('f', ...[1, 10, 20, 30, 40].map(same)));
    expect(compareDiffs(six, five)).toMatchObject({ empty: false, gone: [{}], files: [{ unchanged: false }] });
    expect(states(compareDiffs(five, six))).toEqual([
      ['f', ['unchanged', 'unchanged', 'unchanged', 'unchanged', 'unchanged', 'new'], false],
    ]);
  });

  test('follows a file that is renamed between the rounds', () => {
    const later = diffOf(renamed('a.ts', 'c.ts', hunk(10, 'one'), hunk(30, 'two')), modified('b.ts', hunk(5, 'three')));
    const delta = compareDiffs(first, later);
    expect(states(delta)).toEqual([
      ['c.ts', ['unchanged', 'unchanged'], true],
      ['b.ts', ['unchanged'], false],
    ]);
    expect([delta.empty, delta.gone]).toEqual([false, []]);
  });

  test('follows a created file that is renamed, by its content or by the diff between the heads', () => {
    const before = diffOf(added('new.ts', 'one', 'two'));
    expect(states(compareDiffs(before, diffOf(added('moved.ts', 'one', 'two'))))).toEqual([
      ['moved.ts', ['unchanged'], true],
    ]);
    const edited = diffOf(added('moved.ts', 'one', 'three'));
    expect(states(compareDiffs(before, edited))).toEqual([['moved.ts', ['new'], true]]);
    const between = diffOf(renamed('new.ts', 'moved.ts', '@@ -1,2 +1,2 @@\n one\n-two\n+three\n'));
    expect(states(compareDiffs(before, edited, between))).toEqual([['moved.ts', ['changed'], true]]);
  });

  test('F-T19: shows a file again whose diff was not whole before, or is not whole now', () => {
    const whole = diffOf(modified('a.ts', hunk(10, 'one')));
    const cut = { ...whole, files: whole.files.map((file) => ({ ...file, complete: false })) };
    for (const delta of [compareDiffs(cut, whole), compareDiffs(whole, cut)]) {
      expect([delta.empty, states(delta)]).toEqual([false, [['a.ts', ['unchanged'], true]]]);
    }
    // Of what neither of them shows, the object ids tell.
    const other = { ...cut, files: cut.files.map((file) => ({ ...file, newBlob: '3333333' })) };
    expect(compareDiffs(cut, other).empty).toBe(false);
    expect(compareDiffs(cut, cut).empty).toBe(true);
  });

  test('does not guess which of two equal files was renamed', () => {
    const before = diffOf(added('a.ts', 'same'), added('b.ts', 'same'));
    const delta = compareDiffs(before, diffOf(added('c.ts', 'same'), added('d.ts', 'same')));
    expect(delta.files.map((file) => file.previous)).toEqual([null, null]);
    expect(delta.goneFiles.map((file) => file.newPath)).toEqual(['a.ts', 'b.ts']);
  });

  test('does not take equal hunks of another file for the same', () => {
    const delta = compareDiffs(diffOf(modified('x.ts', hunk(1, 'one'))), diffOf(modified('y.ts', hunk(1, 'one'))));
    expect(states(delta)).toEqual([['y.ts', ['new'], true]]);
  });

  test.each([
    ['the old mode', 'old mode 100644\nnew mode 100755\n', 'old mode 100664\nnew mode 100755\n'],
    ['the new mode', 'old mode 100644\nnew mode 100755\n', 'old mode 100644\nnew mode 100775\n'],
    ['modes', 'old mode 100644\nnew mode 100755\n', 'old mode 100755\nnew mode 100644\n'],
    [
      'binary content',
      'index 1111111..2222222 100644\nBinary files a/f and b/f differ\n',
      'index 1111111..3333333 100644\nBinary files a/f and b/f differ\n',
    ],
  ])('sees what no hunk shows: %s', (_name, one, two) => {
    const of = (rest: string) => parseDiff(`diff --git a/f b/f\n${rest}`);
    expect(compareDiffs(of(one), of(one)).empty).toBe(true);
    expect(compareDiffs(of(one), of(two)).empty).toBe(false);
  });
});

describe('fingerprint', () => {
  const base = modified('a.py', hunk(10, 'one', ' def first():'));

  test('does not depend on line numbers, order of files or blob ids of text', () => {
    const other = modified('b.py', hunk(1, 'two'));
    const moved = modified('a.py', hunk(99, 'one', ' def first():')).replace('1111111..2222222', '3333333..4444444');
    expect(fingerprint(diffOf(other, moved))).toBe(fingerprint(diffOf(base, other)));
  });

  test.each([
    ['one more blank', base.replace('+new one', '+new one ')],
    ['indentation', base.replace('+new', '+    new')],
    ['a tab for a blank', base.replace('+new one', '+new\tone')],
    ['CRLF', base.replace('+new one', '+new one\r')],
    ['a missing newline at the end', base.replace(' after one\n', ' after one\n\\ No newline at end of file\n')],
    ['other context', base.replace(' after one', ' after two')],
    ['another function around it', base.replace('def first', 'def second')],
    ['another path', base.replaceAll('a.py', 'b.py')],
    ['the other direction', base.replace('-old one\n+new one', '-new one\n+old one')],
    ['a mode', base.replace('index', 'old mode 100644\nnew mode 100755\nindex').replace(' 100644\n---', '\n---')],
  ])('changes with %s', (_name, text) => {
    expect(text).not.toBe(base);
    expect(fingerprint(diffOf(text))).not.toBe(fingerprint(diffOf(base)));
  });

  test('changes with the content of a binary file', () => {
    const binary = (blob: string) =>
      `diff --git a/p b/p\nindex 1111111..${blob} 100644\nBinary files a/p and b/p differ\n`;
    expect(fingerprint(diffOf(binary('2222222')))).not.toBe(fingerprint(diffOf(binary('3333333'))));
  });

  test('is a constant of the format, so that markers stay comparable', () => {
    expect(fingerprint(diffOf(base))).toMatchInlineSnapshot(
      `"3c409a2180ddbca6c86be21d923c951f6d8a1f088e3675315b5c04e1da735f2c"`,
    );
  });
});

describe('createLineMap', () => {
  const between = diffOf(
    renamed('old.ts', 'new.ts', '@@ -3,3 +3,4 @@\n c\n-d\n+D1\n+D2\n e\n@@ -20,2 +21,0 @@\n-x\n-y\n'),
    deleted('gone.ts', 'a'),
  );

  test.each<[string, number, string]>([
    ['old.ts', 1, 'new.ts:1'],
    ['old.ts', 3, 'new.ts:3'],
    ['old.ts', 4, 'gone'],
    ['old.ts', 5, 'new.ts:6'],
    ['old.ts', 19, 'new.ts:20'],
    ['old.ts', 20, 'gone'],
    ['old.ts', 21, 'gone'],
    ['old.ts', 22, 'new.ts:21'],
    ['other.ts', 7, 'other.ts:7'],
    ['gone.ts', 1, 'gone'],
  ])('says where %s:%i is now', (path, line, expected) => {
    const now = createLineMap(between)(path, line);
    expect(now.kind === 'gone' ? 'gone' : `${now.path}:${now.line}`).toBe(expected);
  });

  test('leaves the source of a copy where it is', () => {
    const copy = diffOf(
      'diff --git a/a.ts b/b.ts\nsimilarity index 90%\ncopy from a.ts\ncopy to b.ts\nindex 1111111..2222222 100644\n--- a/a.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-a\n+b\n',
    );
    expect(createLineMap(copy)('a.ts', 1)).toEqual({ kind: 'at', path: 'a.ts', line: 1 });
  });
});

describe('moveAnchor', () => {
  const place = { path: 'a.ts', side: 'new', startLine: 4, line: 6 } as const;
  const text = 'fourth();\nfifth();\nsixth();';
  const current = diffOf(added('a.ts', 'zero();', 'one();', 'two();', 'third();', 'fourth();', 'fifth();', 'sixth();'));
  const move = (...between: readonly string[]) => moveAnchor({ place, text, between: diffOf(...between), current });

  test('follows edits above', () => {
    expect(move(modified('a.ts', '@@ -0,0 +1 @@\n+zero();\n'))).toEqual({
      kind: 'at',
      place: { ...place, startLine: 5, line: 7 },
      by: 'lines',
    });
  });

  test('follows a rename', () => {
    expect(move(renamed('a.ts', 'b.ts', '@@ -1,2 +0,0 @@\n-x\n-y\n'))).toMatchObject({
      place: { path: 'b.ts', startLine: 2, line: 4 },
    });
  });

  test('says which lines stayed when one was replaced', () => {
    const elsewhere = diffOf(added('a.ts', 'nothing();'));
    const between = diffOf(modified('a.ts', '@@ -6 +6 @@\n-sixth();\n+other();\n'));
    expect(moveAnchor({ place, text, between, current: elsewhere })).toEqual({
      kind: 'edited',
      place: { ...place, startLine: 4, line: 5 },
    });
  });

  test('finds lines that were moved by their text when it is unique', () => {
    const between = diffOf(
      modified(
        'a.ts',
        '@@ -4,3 +3,0 @@\n-fourth();\n-fifth();\n-sixth();\n@@ -9,0 +7,3 @@\n+fourth();\n+fifth();\n+sixth();\n',
      ),
    );
    expect(moveAnchor({ place, text, between, current })).toEqual({
      kind: 'at',
      place: { ...place, startLine: 5, line: 7 },
      by: 'text',
    });
  });

  test('is gone when its lines are, although equal lines were in the file before', () => {
    const removed = modified('a.ts', '@@ -4,3 +3,0 @@\n-fourth();\n-fifth();\n-sixth();\n');
    expect(move(removed)).toEqual({ kind: 'gone' });
    const edited = modified('a.ts', '@@ -4 +4 @@\n-fourth();\n+other();\n');
    expect(move(edited)).toEqual({ kind: 'edited', place: { ...place, startLine: 5, line: 6 } });
    expect(moveAnchor({ place, text, between: null, current })).toMatchObject({ kind: 'at', by: 'text' });
  });

  test('is gone when its lines are', () => {
    const between = diffOf(modified('a.ts', '@@ -4,3 +3,0 @@\n-fourth();\n-fifth();\n-sixth();\n'));
    expect(moveAnchor({ place, text, between, current: diffOf(added('a.ts', 'zero();')) })).toEqual({ kind: 'gone' });
    expect(moveAnchor({ place, text, between, current: diffOf() })).toEqual({ kind: 'gone' });
  });

  test('is gone rather than guessed when its text stands twice', () => {
    const twice = diffOf(added('a.ts', ...text.split('\n'), ...text.split('\n')));
    expect(moveAnchor({ place, text, between: null, current: twice })).toEqual({ kind: 'gone' });
  });

  test('goes by the text alone when the old head cannot be had', () => {
    expect(moveAnchor({ place, text, between: null, current })).toMatchObject({ kind: 'at', by: 'text' });
  });

  test('bears a range that no file has', () => {
    const wide = { ...place, startLine: 1, line: 1_000_000_000 };
    expect(moveAnchor({ place: wide, text, between: diffOf(), current: diffOf() })).toEqual({
      kind: 'at',
      place: wide,
      by: 'lines',
    });
  });
});
