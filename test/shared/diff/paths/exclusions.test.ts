import { describe, expect, test } from 'vitest';
import { parseAttributes } from '../../../../shared/diff/paths/attributes.ts';
import { type ExclusionRules, sortFiles } from '../../../../shared/diff/paths/exclusions.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import { added, diffOf, modified, renamed } from '../diff-text.ts';

const RULES: ExclusionRules = { ignore: [], attributes: [], maxFileBytes: 10_000 };
const root = (text: string) => [{ folder: '', text }];

const why = (diff: string, rules: Partial<ExclusionRules> = {}): string => {
  const { reviewable, excluded, oversized } = sortFiles(diffOf(diff).files, { ...RULES, ...rules });
  expect(reviewable.length + excluded.length + oversized.length).toBe(1);
  const [out] = excluded;
  const [large] = oversized;
  if (large !== undefined) return `omitted: ${large.reason}`;
  return out === undefined ? 'review' : `${out.kind}: ${out.reason}`;
};

describe('sortFiles', () => {
  test.each<[string, string, Partial<ExclusionRules>]>([
    ['review', 'src/app.ts', {}],
    ['lock: lock file by its name', 'web/package-lock.json', {}],
    ['lock: lock file by its name', 'go.sum', {}],
    ['review', 'src/package-lock.json.ts', {}],
    ['vendored: vendored file by its folder', 'vendor/lib/a.go', {}],
    ['vendored: vendored file by its folder', 'web/node_modules/x/index.js', {}],
    ['review', 'src/vendors/a.go', {}],
    ['minified: minified file by its name', 'public/app.min.js', {}],
    ['generated: generated file by its name', 'api/user.pb.go', {}],
    ['generated: generated file by its name', 'api/user_pb2.py', {}],
    ['review', 'api/user.pb.go', { attributes: root('*.pb.go -linguist-generated') }],
    ['review', 'api/user.pb.go', { attributes: root('*.pb.go linguist-generated=false') }],
    ['review', 'vendor/ours/a.go', { attributes: root('vendor/ours/** -linguist-vendored') }],
    ['review', 'src/schema.ts', { attributes: root('src/schema.ts linguist-generated') }],
    ['review', 'src/schema.ts', { attributes: root('*.ts linguist-generated=true') }],
    ['review', 'ext/a.c', { attributes: root('ext/* linguist-vendored') }],
    ['review', 'data/a.txt', { attributes: root('data/** -diff') }],
    ['review', 'data/a.txt', { attributes: root('*.txt binary') }],
    ['review', 'data/a.txt', { attributes: root('* -text working-tree-encoding=UTF-16 diff=odf') }],
    ['review', 'data/a.txt', { attributes: root('*.txt -diff\ndata/a.txt diff') }],
    ['ignored: ignored by the pattern docs/', 'docs/a/b.md', { ignore: ['docs/'] }],
    ['ignored: ignored by the pattern *.{md,txt}', 'a/b.md', { ignore: ['x', '*.{md,txt}'] }],
    ['review', 'a/b.md', { ignore: ['[broken'] }],
  ])('says "%s" of %s', (expected, path, rules) => {
    expect(why(modified(path, '@@ -1 +1 @@\n-a\n+b\n'), rules)).toBe(expected);
  });

  test('leaves out binary files', () => {
    expect(why('diff --git a/p b/p\nindex 1111111..2222222 100644\nBinary files a/p and b/p differ\n')).toBe(
      'binary: binary file',
    );
  });

  test('leaves out what is too large, and says how large', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    expect(why(added('f', ...lines), { maxFileBytes: 500 })).toBe(
      'omitted: too large: 890 bytes of diff, the limit is 500',
    );
  });

  test('leaves out what the diff does not hold', () => {
    expect(why('diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1269488\n')).toBe(
      'omitted: the diff does not contain the content of the file',
    );
  });

  test('looks at names and binary content before sizes', () => {
    const huge = Array.from({ length: 2000 }, (_, index) => `line ${index}`);
    expect(why(added('package-lock.json', ...huge), { maxFileBytes: 500 })).toBe('lock: lock file by its name');
    expect(why(added('docs/a.md', ...huge), { maxFileBytes: 500, ignore: ['docs/'] })).toMatch(/^ignored/);
  });

  test('F-A4: leaves out code as minified only when most of its lines are long', () => {
    const line = 'x();'.repeat(600);
    expect(why(added('app.js', line))).toMatch(/^omitted: minified: 1 of its 1 lines are longer than 400 bytes$/);
    expect(why(added('app.js', line, 'a();', 'b();'))).toBe('review');
    expect(why(added('app.py', line))).toBe('review');
  });

  test('reviews what is moved out of an ignored or vendored folder', () => {
    const hunk = '@@ -1 +1 @@\n-a\n+b\n';
    expect(why(renamed('docs/a.ts', 'src/a.ts', hunk), { ignore: ['docs/'] })).toBe('review');
    expect(why(renamed('src/a.ts', 'docs/a.ts', hunk), { ignore: ['docs/'] })).toBe('review');
    expect(why(renamed('src/a.ts', 'vendor/a.ts', hunk))).toBe('review');
    expect(why(renamed('docs/a.ts', 'docs/b.ts', hunk), { ignore: ['docs/'] })).toMatch(/^ignored/);
  });

  test('takes the attributes of the target branch, not those of the change', () => {
    const text = added('.gitattributes', '* linguist-generated') + modified('a.ts', '@@ -1 +1 @@\n-a\n+b\n');
    const { reviewable } = sortFiles(parseDiff(text).files, RULES);
    expect(reviewable.map((file) => file.newPath)).toEqual(['.gitattributes', 'a.ts']);
  });
});

describe('parseAttributes', () => {
  const told = (path: string, text: string, folder = ''): object =>
    Object.fromEntries(parseAttributes([{ folder, text }]).lookUp(path));

  test.each<[string, string, string, object]>([
    ['set, unset and valued', 'f', 'f one -two three=3', { one: true, two: false, three: '3' }],
    ['the last line wins', 'f', '* one\nf -one', { one: false }],
    ['unspecified', 'f', '* one two\nf !one', { two: true }],
    ['comments and blank lines', 'f', '# f one\n\n  \nf two', { two: true }],
    ['quoted patterns', 'a b', '"a b" one', { one: true }],
    ['macros', 'f', '[attr]mine one -two\nf mine', { mine: true, one: true, two: false }],
    ['negative patterns', 'f', '!f one', {}],
    ['patterns for folders', 'd/f', 'd/ one', {}],
    ['CRLF', 'f', 'f one\r\n* two\r\n', { one: true, two: true }],
    ['braces as letters', '{a,b}', '{a,b} one', { one: true }],
    ['overlong lines', 'f', `f one${' '.repeat(2100)}two`, {}],
  ])('reads %s', (_name, path, text, expected) => {
    expect(told(path, text)).toEqual(expected);
  });

  test('applies a file to its own folder only, and lets the deeper one win', () => {
    const rules = parseAttributes([
      { folder: 'a/b', text: '*.ts one' },
      { folder: '', text: '*.ts -one two' },
    ]);
    expect(Object.fromEntries(rules.lookUp('a/b/x.ts'))).toEqual({ one: true, two: true });
    expect(Object.fromEntries(rules.lookUp('a/x.ts'))).toEqual({ one: false, two: true });
  });
});
