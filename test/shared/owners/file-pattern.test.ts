import { describe, expect, it } from 'vitest';
import { compileFilePattern } from '../../../shared/owners/file-pattern.ts';

/** Computed by hand from the documentation of `File.fnmatch?` with FNM_PATHNAME and FNM_DOTMATCH. */
const ROWS: readonly (readonly [pattern: string, path: string, matches: boolean])[] = [
  ['/**/*', '/a', true],
  ['/**/*', '/a/b/.c', true],
  ['/**/*.rb', '/x.rb', true],
  ['/**/*.rb', '/a/b/x.rb', true],
  ['/**/*.rb', '/a/b/x.rbs', false],
  ['/docs/*', '/docs/a.md', true],
  ['/docs/*', '/docs/a/b.md', false],
  ['/docs/**/*', '/docs/a/b.md', true],
  ['/docs/**/*', '/docsx/a.md', false],
  ['/docs/**', '/docs/a/b.md', false],
  ['/docs/**', '/docs/a.md', true],
  ['/**/foo/*', '/fufoo/bar', false],
  ['/**/foo/*', '/baz/foo/bar', true],
  ['/a**/b', '/axx/b', true],
  ['/a**/b', '/axx/c/b', false],
  ['/app/*/temp/*', '/app/models/temp/file.rb', true],
  ['/**/a/**/b/**/c', '/x/a/y/b/b/z/c', true],
  ['/**/a/**/b/**/c', '/x/b/y/a/z/c', false],
  ['/f?o', '/foo', true],
  ['/f?o', '/f/o', false],
  ['/f?o', '/fo', false],
  ['/[a-c]x', '/bx', true],
  ['/[a-c]x', '/dx', false],
  ['/[!a-c]x', '/dx', true],
  ['/[^a-c]x', '/ax', false],
  ['/[\\]]x', '/]x', true],
  ['/[a-]x', '/-x', true],
  ['/\\*x', '/*x', true],
  ['/\\*x', '/ax', false],
  ['/a\\', '/a\\', true],
  ['/{a,b}', '/a', false],
  ['/**/é*', '/x/éa', true],
  ['/a*b*c', '/aXbYbZc', true],
  ['/a*b*c', '/aXbYbZ', false],
  ['/a', '/a/b', false],
  ['/a/b', '/a', false],
];

describe('a glob', () => {
  it.each(ROWS)('%s on %s: %s', (pattern, path, matches) => {
    expect(compileFilePattern(pattern)?.matches(path)).toBe(matches);
  });

  it.each(['/[a', '/[', '/x/[!a/b]'])('%s, whose set is not closed, is none', (pattern) => {
    expect(compileFilePattern(pattern)).toBeNull();
  });
});
