import { describe, expect, test } from 'vitest';
import { DiffParseError } from '../../../../shared/diff/parse/diff-parse-error.ts';
import { hunkLines } from '../../../../shared/diff/hunk-lines.ts';
import { inspectDiff } from '../../../../shared/diff/inspect.ts';
import type { DiffFile } from '../../../../shared/diff/model.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';

const one = (text: string | Uint8Array): DiffFile => {
  const { files } = parseDiff(text);
  const [file] = files;
  if (file === undefined || files.length !== 1) throw new Error(`expected one file, got ${files.length}`);
  return file;
};

const allLines = (file: DiffFile) => file.hunks.flatMap((hunk) => hunkLines(hunk));

const git = (path: string, body: string): string =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n${body}`;

const failure = (text: string): DiffParseError => {
  try {
    parseDiff(text);
  } catch (error) {
    if (error instanceof DiffParseError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('lines', () => {
  test('numbers every line on its own side', () => {
    const file = one(git('f.py', '@@ -10,3 +10,4 @@ def foo():\n existing\n-old\n+new\n+more\n context\n'));
    expect(inspectDiff({ files: [file] }, { lines: true }).files[0]?.hunks).toEqual([
      {
        oldStart: 10,
        oldLines: 3,
        newStart: 10,
        newLines: 4,
        section: 'def foo():',
        lines: [
          { kind: 'context', oldLine: 10, newLine: 10, text: 'existing', noNewlineAtEnd: false },
          { kind: 'removed', oldLine: 11, newLine: null, text: 'old', noNewlineAtEnd: false },
          { kind: 'added', oldLine: null, newLine: 11, text: 'new', noNewlineAtEnd: false },
          { kind: 'added', oldLine: null, newLine: 12, text: 'more', noNewlineAtEnd: false },
          { kind: 'context', oldLine: 12, newLine: 13, text: 'context', noNewlineAtEnd: false },
        ],
      },
    ]);
  });

  test.each([
    ['U+2028', '\u2028'],
    ['U+2029', '\u2029'],
    ['NEL', '\x85'],
    ['form feed', '\f'],
    ['vertical tab', '\v'],
    ['a lone CR', '\r'],
  ])('keeps %s inside a line', (_name, character) => {
    const file = one(git('f', `@@ -1 +1,2 @@\n-a${character}b\n+a${character}c\n+d\n`));
    expect(allLines(file).map((line) => line.text)).toEqual([`a${character}b`, `a${character}c`, 'd']);
    expect(allLines(file).map((line) => line.newLine)).toEqual([null, 1, 2]);
  });

  test('keeps the CR of CRLF in the text', () => {
    expect(allLines(one(git('f', '@@ -1 +1 @@\n-a\r\n+a\n'))).map((line) => line.text)).toEqual(['a\r', 'a']);
  });

  test('takes the marker for a missing newline as a property of the line before, never as a line', () => {
    const marker = '\\ No newline at end of file\n';
    const lines = allLines(one(git('f', `@@ -1,2 +1,2 @@\n a\n-b\n${marker}+c\n${marker}`)));
    expect(lines.map((line) => [line.text, line.noNewlineAtEnd])).toEqual([
      ['a', false],
      ['b', true],
      ['c', true],
    ]);
  });

  test.each([
    ['only the new side ends there', '@@ -1,3 +1 @@\n a\n\\ No newline at end of file\n-b\n-c\n', [1, 0, 2]],
    ['only the old side ends there', '@@ -1 +1,2 @@\n a\n\\ No newline at end of file\n+b\n', [1, 1, 0]],
    [
      'both sides end, one of them later',
      '@@ -1,2 +1 @@\n a\n\\ No newline at end of file\n-b\n\\ No newline at end of file\n',
      [2, 0, 1],
    ],
  ])('takes the marker after an unchanged line, as with -w, where %s', (_where, body, [marked, added, removed]) => {
    const file = one(git('f', body));
    expect([file.added, file.removed]).toEqual([added, removed]);
    expect(allLines(file).filter((line) => line.noNewlineAtEnd)).toHaveLength(marked ?? 0);
    expect(allLines(file)[0]).toEqual({ kind: 'context', oldLine: 1, newLine: 1, text: 'a', noNewlineAtEnd: true });
  });

  test('reads an empty row as an empty context line', () => {
    const lines = allLines(one(git('f', '@@ -1,2 +1,2 @@\n-a\n+b\n\n')));
    expect(lines.at(-1)).toEqual({ kind: 'context', oldLine: 2, newLine: 2, text: '', noNewlineAtEnd: false });
  });

  test('takes content that looks like headers as content', () => {
    const body =
      '@@ -1,4 +1,4 @@\n--- a/x\n-diff --git a/x b/x\n-@@ -1 +1 @@\n+++ b/x\n++diff --git a/x b/x\n+@@ -1 +1 @@\n \\ No\n';
    const file = one(git('f', body));
    expect([file.added, file.removed]).toEqual([3, 3]);
    expect(allLines(file).map((line) => line.text)).toEqual([
      '-- a/x',
      'diff --git a/x b/x',
      '@@ -1 +1 @@',
      '++ b/x',
      '+diff --git a/x b/x',
      '@@ -1 +1 @@',
      '\\ No',
    ]);
  });

  test('counts from the line before the gap in hunks without context', () => {
    const file = one(git('f', '@@ -4,0 +5,2 @@\n+x\n+y\n@@ -9,2 +11,0 @@\n-p\n-q\n'));
    expect(allLines(file).map((line) => [line.oldLine, line.newLine])).toEqual([
      [null, 5],
      [null, 6],
      [9, null],
      [10, null],
    ]);
  });

  test('keeps bytes that are not UTF-8 and shows them as replacement characters', () => {
    const bytes = Buffer.from(git('f', '@@ -1 +1 @@\n-caf\xe9\n+caf\xc3\xa9\n'), 'latin1');
    const file = one(bytes);
    expect(allLines(file).map((line) => line.text)).toEqual(['caf\ufffd', 'café']);
    const [hunk] = file.hunks;
    expect(hunk?.source.subarray(hunk.bodyStart, hunk.bodyEnd).toString('latin1')).toBe('-caf\xe9\n+caf\xc3\xa9\n');
  });
});

describe('names', () => {
  const names = (text: string | Uint8Array) => {
    const file = one(text);
    return [file.status, file.oldPath, file.newPath];
  };
  const edit = '@@ -1 +1 @@\n-a\n+b\n';

  test.each([
    ['a and b', 'a/', 'b/'],
    ['commit and index', 'c/', 'i/'],
    ['index and working tree', 'i/', 'w/'],
    ['commit and working tree', 'c/', 'w/'],
    ['object and working tree', 'o/', 'w/'],
    ['the sides of --no-index', '1/', '2/'],
    ['reversed sides', 'b/', 'a/'],
    ['words of unequal length', 'before/', 'now/'],
    ['none', '', ''],
  ])('drops the prefixes: %s', (_name, minus, plus) => {
    const text = `diff --git ${minus}a/x.ts ${plus}a/x.ts\nindex 1111111..2222222 100644\n--- ${minus}a/x.ts\n+++ ${plus}a/x.ts\n${edit}`;
    expect(names(text)).toEqual(['modified', 'a/x.ts', 'a/x.ts']);
  });

  test.each([
    ['octal bytes', '"a/\\355\\225\\234/\\303\\251.md"', '"b/\\355\\225\\234/\\303\\251.md"', '한/é.md'],
    ['letters', '"a/t\\tn\\nq\\"b\\\\"', '"b/t\\tn\\nq\\"b\\\\"', 't\tn\nq"b\\'],
    ['raw UTF-8', 'a/한/é.md', 'b/한/é.md', '한/é.md'],
  ])('reads quoted names: %s', (_name, minus, plus, expected) => {
    const text = `diff --git ${minus} ${plus}\nindex 1111111..2222222 100644\n--- ${minus}\n+++ ${plus}\n${edit}`;
    expect(names(text)).toEqual(['modified', expected, expected]);
  });

  test('tells names apart that decode to the same text', () => {
    const header = (octal: string) => `diff --git "a/${octal}" "b/${octal}"\nold mode 100644\nnew mode 100755\n`;
    const { files } = parseDiff(header('\\351') + header('\\352'));
    expect(files.map((file) => file.newPath)).toEqual(['\ufffd', '\ufffd']);
    expect(files.map((file) => file.newPathRaw)).toEqual(['\xe9', '\xea']);
  });

  test('splits a header whose names hold blanks and further prefixes', () => {
    expect(names('diff --git a/x b/y.sh b/x b/y.sh\nold mode 100644\nnew mode 100755\n')).toEqual([
      'modified',
      'x b/y.sh',
      'x b/y.sh',
    ]);
  });

  test('drops the tab that ends a name with blanks', () => {
    const text = `diff --git a/a b b/a b\nindex 1111111..2222222 100644\n--- a/a b\t\n+++ b/a b\t\n${edit}`;
    expect(names(text)).toEqual(['modified', 'a b', 'a b']);
  });

  test('takes both names of a rename from its own lines', () => {
    const text = 'diff --git a/x b/y b/z\nsimilarity index 100%\nrename from x\nrename to y b/z\n';
    expect(names(text)).toEqual(['renamed', 'x', 'y b/z']);
  });

  test('names an added and a deleted file on both sides', () => {
    const added = 'diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n';
    const deleted = 'diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n';
    expect(names(added)).toEqual(['added', 'x', 'x']);
    expect(names(deleted)).toEqual(['deleted', 'x', 'x']);
  });
});

describe('kinds of files', () => {
  test('joins the deletion and creation of a change of type', () => {
    const text =
      'diff --git a/f b/f\ndeleted file mode 100644\nindex 1269488..0000000\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-data\n' +
      'diff --git a/f b/f\nnew file mode 120000\nindex 0000000..1de5659\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n';
    const file = one(text);
    expect([file.status, file.oldMode, file.newMode, file.added, file.removed]).toEqual([
      'type_changed',
      '100644',
      '120000',
      1,
      1,
    ]);
  });

  test('does not join a deletion with the creation of the same path and type', () => {
    const gone = 'diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n';
    const fresh = 'diff --git a/f b/f\nnew file mode 100644\nindex 0000000..e69de29\n';
    expect(parseDiff(gone + fresh).files.map((file) => file.status)).toEqual(['deleted', 'added']);
  });

  test('gives the first parent its numbers in a combined diff', () => {
    const text =
      'diff --cc f.txt\nindex 97d67f3,0e8499c..e1a6a6a\n--- a/f.txt\n+++ b/f.txt\n@@@ -2,3 -2,3 +2,3 @@@ head\n  two\n- ours\n -theirs\n++both\n  four\n';
    const file = one(text);
    expect([file.parents, file.added, file.removed]).toEqual([2, 1, 1]);
    expect(allLines(file).map((line) => [line.kind, line.oldLine, line.newLine, line.text])).toEqual([
      ['context', 2, 2, 'two'],
      ['removed', 3, null, 'ours'],
      ['removed', null, null, 'theirs'],
      ['added', null, 3, 'both'],
      ['context', 4, 4, 'four'],
    ]);
  });

  test('keeps the blocks of a binary patch verbatim', () => {
    const blocks = 'literal 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n';
    const text = `diff --git a/x b/x\nindex 1111111..2222222 100644\nGIT binary patch\n${blocks}`;
    const file = one(text);
    expect([file.binary, file.binaryPatch?.toString('latin1')]).toEqual([true, blocks]);
  });

  test.each([
    ['moved', 'Submodule sub 1111111...2222222:\n  > commit one\n  < commit two\n', 'modified +1 -1'],
    ['new', 'Submodule sub 0000000...2222222 (new submodule)\n', 'added +1 -0'],
    ['gone', 'Submodule sub 1111111...0000000 (submodule deleted)\n', 'deleted +0 -1'],
    ['dirty', 'Submodule sub contains modified content\nSubmodule sub 1111111..2222222:\n', 'modified +1 -1'],
  ])('reads the log form of a submodule: %s', (_name, text, expected) => {
    const file = one(text);
    expect(file.newPath).toBe('sub');
    expect(`${file.status} +${file.added} -${file.removed}`).toBe(expected);
  });

  test('reports files that differ without any header', () => {
    expect(one('Binary files old/p.png and new/p.png differ\n')).toMatchObject({ binary: true, newPath: 'p.png' });
  });

  test('says that content is missing when a creation comes without it', () => {
    const text = 'diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1269488\n';
    expect(one(text)).toMatchObject({ status: 'added', complete: false });
  });

  test('takes an empty input as a diff without files', () => {
    expect(parseDiff('')).toEqual({ files: [] });
    expect(parseDiff('\n')).toEqual({ files: [] });
  });

  test('ignores the mail around a patch', () => {
    const mail = `From abc\nSubject: x\n\n---\n f | 2 +-\n\n${git('f', '@@ -1 +1 @@\n-a\n+b\n')}-- \n2.39.5\n\n`;
    expect(one(mail)).toMatchObject({ newPath: 'f', added: 1, removed: 1 });
  });
});

describe('damage', () => {
  const head = 'diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n';

  test.each([
    ['the input ends inside a hunk', `${head}@@ -1,2 +1,2 @@\n a\n`, 6 + 1],
    ['the input ends inside a line', `${head}@@ -1 +1 @@\n-a\n+b`, 7],
    ['a hunk is shorter than its header says', `${head}@@ -1,3 +1,3 @@\n a\n-b\n+c\ndiff --git a/g b/g\n`, 9],
    ['a hunk is longer than its header says', `${head}@@ -1 +1 @@\n-a\n+b\n+c\n`, 8],
    ['the lines do not add up', `${head}@@ -1,2 +1,1 @@\n-a\n b\n c\n`, 8],
    ['more new lines than due come before the old ones', `${head}@@ -1,2 +1 @@\n a\n+b\n-c\n`, 9],
    ['only the old side goes backwards', `${head}@@ -5 +5 @@\n-a\n+b\n@@ -5 +9 @@\n-a\n+b\n`, 8],
    ['only the new side goes backwards', `${head}@@ -5 +5 @@\n-a\n+b\n@@ -9 +5 @@\n-a\n+b\n`, 8],
    ['a hunk header is malformed', `${head}@@ -1,x +1 @@\n-a\n+b\n`, 5],
    ['a hunk counts nothing', `${head}@@ -1,0 +1,0 @@\n`, 5],
    ['line numbers start at zero', `${head}@@ -0,1 +1 @@\n-a\n+b\n`, 5],
    ['hunks go backwards', `${head}@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n`, 8],
    ['no hunk follows the file header', head, 5],
    ['nothing follows an index line', 'diff --git a/f b/f\nindex 1111111..2222222 100644\n', 3],
    ['nothing follows the first line', 'diff --git a/f b/f\n', 2],
    ['a rename lacks its other end', 'diff --git a/f b/g\nsimilarity index 100%\nrename from f\n', 4],
    ['a name is cut off', 'diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g', 4],
    ['a hunk has no file', '@@ -1 +1 @@\n-a\n+b\n', 1],
    ['a quoted name is not closed', 'diff --git "a/f b/f\nold mode 100644\nnew mode 100755\n', 4],
    ['the header contradicts itself', 'diff --git a/f b/f\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n', 7],
    [
      'a new file has old lines',
      'diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n',
      8,
    ],
    [
      'a deleted file has new lines',
      'diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n',
      8,
    ],
    ['a mode is malformed', 'diff --git a/f b/f\nold mode 10064\nnew mode 100755\n', 2],
    ['a marker stands in the middle', `${head}@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n`, 7],
    [
      'a marker stands after an unchanged line in the middle of both sides',
      `${head}@@ -1,2 +1,2 @@\n a\n\\ No newline at end of file\n-b\n+c\n`,
      7,
    ],
    [
      'a marker stands twice',
      `${head}@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n\\ No newline at end of file\n`,
      8,
    ],
    [
      'a binary patch is cut off',
      'diff --git a/f b/f\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n',
      6,
    ],
    [
      'a binary patch is corrupt',
      'diff --git a/f b/f\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 1\nIcmZPo\n\n',
      5,
    ],
    ['the input is no diff', 'hello\n', 2],
  ])('is an error with its line: %s', (_name, text, line) => {
    const error = failure(text);
    expect({ code: error.code, disposition: error.disposition, line: error.fields['line'] }).toEqual({
      code: 'DIFF_UNPARSABLE',
      disposition: { kind: 'fail' },
      line,
    });
  });

  test('names the file', () => {
    expect(failure(`${head}@@ -1,2 +1,2 @@\n a\n`).fields['file']).toBe('b/f');
  });

  test('cutting a diff anywhere but between files never gives a shorter diff without an error', () => {
    const whole = `${head}@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -9 +9 @@\n-x\n+y\n`;
    const boundary = whole.indexOf('@@ -9');
    for (let cut = 1; cut < whole.length; cut++) {
      if (cut === boundary) continue;
      expect(() => parseDiff(whole.slice(0, cut)), `cut at ${cut}`).toThrow(DiffParseError);
    }
  });
});
