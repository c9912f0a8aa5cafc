import { expect, test } from 'vitest';
import { createLoginMatch, createNameMatch } from '../../../../shared/diff/paths/glob-names.ts';

test.each<[pattern: string, name: string, meant: boolean]>([
  ['main', 'main', true],
  ['main', 'feature/main', false],
  ['main', 'Main', false],
  ['*', 'main', true],
  ['*', 'release/1/2', true],
  ['**', 'release/1/2', true],
  ['release/*', 'release/1', true],
  ['release/*', 'release/1/2', false],
  ['release/**', 'release/1', true],
  ['release/**', 'release/1/2', true],
  ['release/**', 'release', false],
  ['**/stable', 'a/b/stable', true],
  ['*-stable', '8-0-stable', true],
  ['*-stable', 'x/8-0-stable', false],
  ['{main,dev}', 'dev', true],
  ['{main,dev}', 'feature/dev', false],
  ['release/{1,2}.[0-9]', 'release/2.7', true],
  ['v?', 'v1', true],
  ['build*', 'build (pull)', true],
  ['[bug]', '[bug]', true],
  ['[bug]', 'b', true],
  ['wip]{', 'wip]{', true],
  ['type/**', 'type/bug', true],
  ['priority::*', 'priority::high', true],
  ['\\*', '*', true],
])('F-C4: the pattern %j means the name %j: %s', (pattern, name, meant) => {
  expect(createNameMatch([pattern])(name)).toBe(meant);
});

test('F-C4: any of several patterns is enough, and none means nothing', () => {
  expect(createNameMatch(['a', 'b*'])('bc')).toBe(true);
  expect(createNameMatch([])('a')).toBe(false);
});

test('F-C4: accounts are the same in any case', () => {
  expect(createLoginMatch(['Dependabot*'])('dependabot-2')).toBe(true);
  expect(createLoginMatch(['ANN'])('ann')).toBe(true);
});
