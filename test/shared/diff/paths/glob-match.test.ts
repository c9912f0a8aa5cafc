import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob } from '../../../../shared/diff/paths/glob-match.ts';

const matches = (pattern: string, path: string): boolean | null => compileGlob(pattern)?.matches(path) ?? null;
const covers = (pattern: string, path: string): boolean | null => compileGlob(pattern)?.covers(path) ?? null;

describe('compileGlob', () => {
  test.each<[string, string, boolean]>([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'deep/er/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/*.ts', 'x/src/a.ts', false],
    ['/a.ts', 'a.ts', true],
    ['/a.ts', 'x/a.ts', false],
    ['**/a.ts', 'a.ts', true],
    ['**/a.ts', 'x/y/a.ts', true],
    ['**/a.ts', 'xa.ts', false],
    ['src/**', 'src/a/b', true],
    ['src/**', 'src', false],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**/a.ts', 'src/x/y/a.ts', true],
    ['src/**/a.ts', 'srca.ts', false],
    ['**', 'x/y', true],
    ['a**b', 'axxb', true],
    ['a**b', 'ax/xb', false],
    ['?.ts', 'é.ts', true],
    ['?.ts', '😀.ts', true],
    ['a?b', 'a/b', false],
    ['[a-c].ts', 'b.ts', true],
    ['[!a-c].ts', 'b.ts', false],
    ['[^a-c].ts', 'd.ts', true],
    ['[]]', ']', true],
    ['[a-]', '-', true],
    ['[\\]]', ']', true],
    ['x[!a]y', 'x/y', false],
    ['\\*.ts', '*.ts', true],
    ['\\*.ts', 'a.ts', false],
    ['*.{js,ts}', 'a.ts', true],
    ['*.{js,ts}', 'a.css', false],
    ['{a,b/{c,d}}/x', 'b/d/x', true],
    ['{a,b/{c,d}}/x', 'b/x', false],
    ['a{,b}', 'a', true],
    ['a{,b}', 'ab', true],
    ['docs/', 'docs', false],
    ['', 'a', false],
  ])('says whether %s matches %s', (pattern, path, expected) => {
    expect(matches(pattern, path) ?? false).toBe(expected);
  });

  test.each<[string, string, boolean]>([
    ['docs', 'docs/a/b.md', true],
    ['docs/', 'docs/a/b.md', true],
    ['docs/', 'x/docs/b.md', true],
    ['/docs/', 'x/docs/b.md', false],
    ['docs', 'docs', true],
    ['docs/', 'docs', false],
    ['docs', 'docsx/b.md', false],
    ['a/b', 'a/b/c', true],
    ['a/b', 'x/a/b/c', false],
    ['*.min', 'x.min/y', true],
  ])('says whether %s covers %s', (pattern, path, expected) => {
    expect(covers(pattern, path)).toBe(expected);
  });

  test.each([
    '',
    '/',
    '[a',
    '[',
    'a\\',
    '{a,b',
    '{a',
    '[[:alpha:]]',
    'x'.repeat(1025),
    '{'.repeat(9) + 'a' + '}'.repeat(9),
  ])('refuses the malformed pattern %s', (pattern) => {
    expect(compileGlob(pattern)).toBeNull();
  });

  test('takes braces literally where they have no meaning', () => {
    expect(compileGlob('{a,b}', { braces: false })?.matches('{a,b}')).toBe(true);
  });

  test.each([
    ['many stars', `${'*a'.repeat(12)}b`, 'a'.repeat(60)],
    ['many stars, long path', `${'*a'.repeat(300)}b`, 'a'.repeat(4000)],
    ['many folders', `${'**/'.repeat(300)}b`, 'a/'.repeat(2000)],
    ['many braces', `${'{a,b}'.repeat(200)}c`, 'ab'.repeat(100)],
    ['braces with nothing in them', `${'{,}'.repeat(300)}c`, 'c'.repeat(300)],
    ['nested braces and stars', `${'{*,a*}'.repeat(150)}c`, 'a'.repeat(4000)],
  ])('takes time within pattern times path: %s', (_name, pattern, path) => {
    const glob = compileGlob(pattern);
    expect(glob?.matches(path)).toBe(false);
  });

  test('agrees with a plain backtracking matcher on short inputs', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', '/', '*', '?'), { minLength: 1, maxLength: 7 });
    const paths = fc.array(fc.constantFrom('a', 'b', '/'), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(letters, paths, (pattern, path) => {
        const [text, name] = [`/${pattern.join('')}`, path.join('')];
        // Only patterns without special stars and odd slashes have one plain meaning.
        fc.pre(!/\*\*|\/\/|\/$/.test(text) && !/^\/|\/\/|\/$/.test(name));
        const source = text.slice(1).replaceAll('*', '[^/]*').replaceAll('?', '[^/]');
        expect(matches(text, name)).toBe(new RegExp(`^${source}$`).test(name));
      }),
      { seed: 5, numRuns: process.env['FIXPOINT_DEEP'] === '1' ? 100_000 : 2000 },
    );
  });
});
