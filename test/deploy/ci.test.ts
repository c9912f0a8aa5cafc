import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../support/tracked-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'fixpoint-ci-'));

type Counts = { passed?: number; failed?: number; skipped?: number; brokenFiles?: number };

function writeReport(name: string, { passed = 0, failed = 0, skipped = 0, brokenFiles = 0 }: Counts): string {
  const broken = Array.from({ length: brokenFiles }, () => ({ status: 'failed', assertionResults: [] }));
  const failures = Array.from({ length: failed }, () => ({ status: 'failed' }));
  const file = { status: failed > 0 ? 'failed' : 'passed', assertionResults: failures };
  const report = {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    testResults: [file, ...broken],
  };
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(report));
  return path;
}

function count(...args: string[]): { status: number | null; lastLine: string | undefined } {
  const { status, stdout } = spawnSync(process.execPath, [join(PROJECT_ROOT, '.ci', 'count.mjs'), ...args], {
    encoding: 'utf8',
  });
  return { status, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

test('the last line adds up all reports', () => {
  const one = writeReport('one', { passed: 10, skipped: 2 });
  const two = writeReport('two', { passed: 5 });
  expect(count('0', one, two)).toEqual({ status: 0, lastLine: '15 passed, 0 failed, 2 skipped' });
});

test.each<[name: string, args: () => string[], lastLine: string]>([
  ['a failed test', () => ['0', writeReport('a', { passed: 1, failed: 2 })], '1 passed, 2 failed, 0 skipped'],
  [
    'a file that did not load',
    () => ['0', writeReport('b', { passed: 1, brokenFiles: 1 })],
    '1 passed, 1 failed, 0 skipped',
  ],
  ['a missing report', () => ['0', writeReport('c', { passed: 1 }), '/nowhere'], '1 passed, 1 failed, 0 skipped'],
  ['a failed step', () => ['1', writeReport('d', { passed: 1 })], '1 passed, 1 failed, 0 skipped'],
  ['no test at all', () => ['0', writeReport('e', {})], '0 passed, 0 failed, 0 skipped'],
])('%s is no success', (_, args, lastLine) => {
  expect(count(...args())).toEqual({ status: 1, lastLine });
});
