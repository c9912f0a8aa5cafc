import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { annotate } from '../../../../shared/diff/annotate/annotate.ts';
import { annotateFile } from '../../../../shared/diff/annotate/annotate-file.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import { added, deleted, diffOf, modified, renamed } from '../diff-text.ts';

const PLENTY = { maxBytes: 1_000_000 };
const golden = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'diff');

describe('annotate', () => {
  test('F-W10: writes the lines of the published example with two columns of numbers', () => {
    const hunk =
      '@@ -10,4 +10,5 @@ def foo():\n     existing_line\n-    old_code\n+    new_code\n+    added_line\n     context_line\n     more\n';
    expect(annotate(diffOf(modified('f.py', hunk)).files, PLENTY).text).toBe(
      [
        '=== f.py (modified, +2 -1)',
        '@@ -10,4 +10,5 @@ def foo():',
        ' 10 10:    existing_line',
        '-11 :    old_code',
        '+ 11:    new_code',
        '+ 12:    added_line',
        ' 12 13:    context_line',
        ' 13 14:    more',
        '',
      ].join('\n'),
    );
  });

  test.each(readdirSync(golden).filter((name) => name.endsWith('.diff')))('annotates %s as recorded', (name) => {
    const { files } = parseDiff(readFileSync(join(golden, name)));
    const expected = readFileSync(join(golden, name.replace(/\.diff$/, '.annotated.txt')), 'utf8');
    expect(annotate(files, PLENTY).text).toBe(expected);
  });

  test.each([
    ['a lone CR', '\r', '<CR>'],
    ['a vertical tab', '\v', '<VT>'],
    ['a form feed', '\f', '<FF>'],
    ['NEL', '\x85', '<NEL>'],
    ['U+2028', '\u2028', '<U+2028>'],
    ['U+2029', '\u2029', '<U+2029>'],
  ])('does not let %s start a line', (_name, character, shown) => {
    const { text } = annotate(diffOf(added('f', `a${character}+99:forged`)).files, PLENTY);
    expect(text.split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/)).toEqual([
      '=== f (added, +1 -0)',
      '@@ -0,0 +1,1 @@',
      `+ 1:a${shown}+99:forged`,
      '',
    ]);
  });

  test('keeps the CR of CRLF', () => {
    expect(annotate(diffOf(modified('f', '@@ -1 +1 @@\n-a\r\n+b\r\n')).files, PLENTY).text).toContain(
      '-1 :a\r\n+ 1:b\r\n',
    );
  });

  test('does not let a name start a line', () => {
    const text = 'diff --git "a/x\\n+1:forged" "b/x\\n+1:forged"\nold mode 100644\nnew mode 100755\n';
    expect(annotate(parseDiff(text).files, PLENTY).text).toBe(
      '=== "x\\n+1:forged" (modified, +0 -0, mode 100644 to 100755)\n',
    );
  });

  test('says what has no lines', () => {
    const files = parseDiff(
      'diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n' +
        'diff --git a/p b/p\nindex 1111111..2222222 100644\nBinary files a/p and b/p differ\n',
    ).files;
    expect(annotate(files, PLENTY).text).toBe('=== b (renamed from a, +0 -0)\n\n=== p (modified, binary)\n');
  });

  test.each([9, 98, 998, 9998, 99_998, 99_999_998])('numbers lines across %i', (start) => {
    const rows = Array.from({ length: 4 }, (_, index) => ` row ${index}\n`).join('');
    const { text } = annotate(diffOf(modified('f', `@@ -${start},4 +${start},5 @@\n${rows}+x\n`)).files, PLENTY);
    const numbers = text
      .split('\n')
      .slice(2, 7)
      .map((row) => Number.parseInt(row.slice(1), 10));
    expect(numbers).toEqual([start, start + 1, start + 2, start + 3, start + 4]);
  });

  test('writes the same for lines that are taken apart and lines that are copied', () => {
    const rows = [
      ' a',
      '-b',
      '+caf\xe9',
      '',
      ' ',
      '+\t\xc3\xa9',
      `-${'x'.repeat(300)}`,
      '\\ No newline at end of file',
    ];
    const bytes = Buffer.from(modified('f', `@@ -1,5 +1,5 @@ caf\xe9\n${rows.join('\n')}\n`), 'latin1');
    const { files } = parseDiff(bytes);
    const { text } = annotate(files, PLENTY);
    expect(text).toBe(files.map(annotateFile).join('\n'));
    expect(text.split('\n').slice(1)).toEqual([
      '@@ -1,5 +1,5 @@ caf\ufffd',
      ' 1 1:a',
      '-2 :b',
      '+ 2:caf\ufffd',
      ' 3 3:',
      ' 4 4:',
      '+ 5:\té',
      `-5 :${'x'.repeat(300)}`,
      '\\ No newline at end of file',
      '',
    ]);
  });

  test('numbers removed lines by the old file', () => {
    const { text } = annotate(diffOf(deleted('f', 'a', 'b')).files, PLENTY);
    expect(text).toBe('=== f (deleted, +0 -2)\n@@ -1,2 +0,0 @@\n-1 :a\n-2 :b\n');
  });
});

describe('the budget', () => {
  const files = diffOf(
    added('docs/guide.md', 'x'),
    added('src/large.ts', ...Array.from({ length: 50 }, () => 'some code here')),
    added('src/small.ts', 'x', 'y'),
    added('test/small.test.ts', 'x'),
    renamed('lib/a.ts', 'lib/b.ts', '@@ -1 +1 @@\n-a\n+b\n'),
  ).files;

  test('leaves out whole files by name, source before tests before prose, small before large', () => {
    const { text, reviewed, omitted } = annotate(files, { maxBytes: 200 });
    expect(reviewed).toEqual(['src/small.ts', 'test/small.test.ts', 'lib/b.ts']);
    expect(omitted.map((file) => file.path)).toEqual(['docs/guide.md', 'src/large.ts']);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(200);
    for (const { reason } of omitted)
      expect(reason).toMatch(/^the file needs at least \d+ bytes, but only \d+ bytes of/);
  });

  test('takes the files first that the caller names', () => {
    const first = new Set(['docs/guide.md']);
    expect(annotate(files, { maxBytes: 60, first }).reviewed).toEqual(['docs/guide.md']);
  });

  test('never exceeds the budget and never loses a file', () => {
    for (let maxBytes = 0; maxBytes < 1500; maxBytes += 7) {
      const { text, reviewed, omitted } = annotate(files, { maxBytes });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      const named = [...reviewed, ...omitted.map((file) => file.path)];
      expect(named.toSorted()).toEqual(files.map((file) => file.newPath).toSorted());
    }
  });

  test('gives the same text for the same input', () => {
    expect(annotate(files, { maxBytes: 300 })).toEqual(annotate([...files], { maxBytes: 300 }));
  });

  test('names a file whose content the diff does not hold', () => {
    const bare = parseDiff('diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1269488\n').files;
    expect(annotate(bare, PLENTY)).toEqual({
      text: '',
      reviewed: [],
      omitted: [{ path: 'x', reason: 'the diff does not contain the content of the file' }],
    });
  });
});
