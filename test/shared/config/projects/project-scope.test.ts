import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inScope, parseProjectScope } from '../../../../shared/config/projects/project-scope.ts';
import { ProjectPattern } from '../../../../shared/config/values.ts';

const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 5_000 : 200;

describe('the scope of a forge', () => {
  test.each<[patterns: readonly string[], path: string | null, served: boolean]>([
    [['acme/shop'], 'acme/shop', true],
    [['acme/shop'], 'Acme/SHOP', true],
    [['ACME/shop'], 'acme/shop', true],
    [['acme/shop'], 'acme/shop2', false],
    [['acme/shop'], 'acme/sho', false],
    [['acme/shop'], 'other/acme/shop', false],
    [['acme/*'], 'acme/shop', true],
    [['acme/*'], 'ACME/Shop', true],
    [['acme/*'], 'acme/team/deep/shop', true],
    [['acme/*'], 'acme', false],
    [['acme/*'], 'acme2/shop', false],
    [['acme/*'], 'other/acme/shop', false],
    [['acme/team/*'], 'acme/team/shop', true],
    [['acme/team/*'], 'acme/shop', false],
    [['acme/team/*'], 'acme/team', false],
    [['a.b/*'], 'axb/shop', false],
    [['*'], 'any/thing/at/all', true],
    [['acme/shop', 'other/*'], 'other/x', true],
    [['acme/shop', 'other/*'], 'acme/other', false],
    [['*'], null, false],
    [['*'], '', false],
    [['acme/*'], null, false],
    [[], 'acme/shop', false],
  ])('%j serves %j: %s', (patterns, path, served) => {
    expect(inScope(parseProjectScope(patterns), path)).toBe(served);
  });

  test('keeps groups, single projects and everything apart, each once', () => {
    expect(parseProjectScope(['A/b', 'a/B', 'a/*', 'a/c/*', '*'])).toEqual({
      all: true,
      groups: ['a', 'a/c'],
      paths: ['a/b'],
    });
  });

  const part = fc.stringMatching(/^[A-Za-z0-9_.-]{1,5}$/);
  const path = fc.array(part, { minLength: 2, maxLength: 5 }).map((parts) => parts.join('/'));

  test('serves whatever it names, and below a group exactly what begins with it', () => {
    const law = fc.property(path, path, (named, other) => {
      const group = named.slice(0, named.lastIndexOf('/'));
      expect(inScope(parseProjectScope([named]), named.toUpperCase())).toBe(true);
      const below = other.toLowerCase().startsWith(`${group.toLowerCase()}/`);
      expect(inScope(parseProjectScope([`${group}/*`]), other)).toBe(below);
      expect(inScope(parseProjectScope([`${group}/*`]), `${group}/${other}`)).toBe(true);
    });
    fc.assert(law, { seed: 7, numRuns: RUNS });
  });
});

test.each<[pattern: string, valid: boolean]>([
  ['owner/name', true],
  ['group/sub/name', true],
  ['group/*', true],
  ['group/sub/*', true],
  ['*', true],
  ['name', false],
  ['*/*', false],
  ['**', true],
  ['group/**', true],
  ['gr*/name', false],
  ['*/name', false],
  ['/*', false],
  ['group/', false],
  ['', false],
])('a setting may say %j: %s', (pattern, valid) => {
  expect(ProjectPattern.safeParse(pattern).success).toBe(valid);
});
