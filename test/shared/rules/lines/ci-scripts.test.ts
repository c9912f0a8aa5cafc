import { expect, it } from 'vitest';
import { isCiFile } from '../../../../shared/rules/model/language.ts';
import { ciScriptLines } from '../../../../shared/rules/lines/ci-scripts.ts';

it.each<[string, string, readonly (readonly [number, string])[]]>([
  ['a value on its line', 'steps:\n  - run: make\n    name: x', [[2, 'make']]],
  [
    'a block',
    'steps:\n  - run: |\n      a\n\n      # no\n      b\n    name: x',
    [
      [3, 'a'],
      [6, 'b'],
    ],
  ],
  [
    'a folded block with marks',
    '  - name: x\n    run: >-2\n      a\n  - run: b',
    [
      [3, 'a'],
      [4, 'b'],
    ],
  ],
  [
    'a list',
    'build:\n  script:\n    - a\n    - b\n  stage: x',
    [
      [3, 'a'],
      [4, 'b'],
    ],
  ],
  [
    'a list in the column of the key',
    'build:\n  script:\n  - a\n  - |\n    b\n  after_script:\n  - c',
    [
      [3, 'a'],
      [4, '|'],
      [5, 'b'],
      [7, 'c'],
    ],
  ],
  ['other keys', 'on: push\nname: run\nrunner: a\nruns-on: b', []],
])('reads %s', (_, text, expected) => {
  expect(ciScriptLines(text.split('\n')).map(({ number, text: code }) => [number, code])).toEqual(expected);
});

it.each<[string, boolean]>([
  ['.github/workflows/a.yml', true],
  ['.forgejo/workflows/a.yaml', true],
  ['.gitea/workflows/a.yml', true],
  ['tools/action.yml', true],
  ['.gitlab-ci.yml', true],
  ['templates/deploy.gitlab-ci.yml', true],
  ['.gitlab/ci/jobs/a.yml', true],
  ['.github/dependabot.yml', false],
  ['.woodpecker/a.yml', false],
  ['docs/transaction.yml', false],
  ['.github/workflows/README.md', false],
])('tells whether %s defines CI', (path, expected) => {
  expect(isCiFile(path)).toBe(expected);
});
