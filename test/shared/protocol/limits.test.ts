import { expect, test } from 'vitest';
import { clampBudget, resolveSha } from '../../../shared/protocol/limits.ts';
import { whyNotInWorkspace } from '../../../shared/protocol/workspace-path.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';

const OPERATORS = { maxTurns: 8, maxRuntimeS: 600 };

test.each([
  [{}, OPERATORS],
  [{ max_turns_reviewer: 3 }, { maxTurns: 3, maxRuntimeS: 600 }],
  [{ max_runtime_s_reviewer: 60 }, { maxTurns: 8, maxRuntimeS: 60 }],
  [{ max_turns_reviewer: 99, max_runtime_s_reviewer: 9999 }, OPERATORS],
])('a request for %j gets %j of 8 turns and 600 s', (asked, budget) => {
  expect(clampBudget(asked, OPERATORS)).toEqual(budget);
});

const A = CommitSha.parse(`0123456${'a'.repeat(33)}`);
const B = CommitSha.parse(`0123456${'b'.repeat(33)}`);

test.each([
  ['0123456a', { kind: 'resolved', sha: A }],
  [B, { kind: 'resolved', sha: B }],
  ['0123456', { kind: 'refused', reason: 'matches 2 commits; expected more digits' }],
  ['fffffff', { kind: 'refused', reason: 'is not a head of this change request' }],
  [`${A}0`, { kind: 'refused', reason: 'is not a head of this change request' }],
])('the commit id %s stands for %j', (prefix, resolution) => {
  expect(resolveSha(prefix, [A, B, A])).toEqual(resolution);
});

test.each(['a', 'a/b.c', '.hidden/a', 'a b', 'ä/ö', '...', 'a..b', '.gitignore', 'C/a'])(
  '%j stays in the workspace',
  (path) => {
    expect(whyNotInWorkspace(path)).toBeNull();
  },
);

test.each([
  '',
  '/a',
  '//a',
  '..',
  '../a',
  'a/../b',
  'a/..',
  './a',
  'a//b',
  'a/',
  '.',
  '~/a',
  'C:/a',
  'c:a',
  'a\\..\\b',
  '.git/config',
  'a/.GIT/config',
  'a\0b',
  'a\nb',
  'a\u202eb',
  'a'.repeat(1025),
])('%j does not', (path) => {
  expect(whyNotInWorkspace(path)).not.toBeNull();
});
