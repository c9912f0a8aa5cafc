/** `.ci/count.mjs`: what a build server reads at the end of a run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(path.join(os.tmpdir(), 'fixpoint-count-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Status = 'passed' | 'failed' | 'skipped' | 'todo';
type Tests = Readonly<Record<string, Status>>;

const here = path.resolve('test/deploy/count.test.ts');

const write = (name: string, files: Readonly<Record<string, Tests>>, broken: readonly string[] = []): string => {
  const report = path.join(folder, name);
  const testResults = Object.entries(files).map(([file, tests]) => ({
    name: path.resolve(file),
    status: Object.values(tests).includes('failed') || broken.includes(file) ? 'failed' : 'passed',
    message: broken.includes(file) ? 'cannot be loaded\nat its first line' : '',
    assertionResults: Object.entries(tests).map(([fullName, status]) => ({
      fullName,
      status,
      failureMessages: status === 'failed' ? ['expected 1 to be 2\n    at a line'] : [],
    })),
  }));
  writeFileSync(report, JSON.stringify({ testResults }));
  return report;
};

const count = (...args: readonly string[]): { readonly code: number | null; readonly lines: readonly string[] } => {
  const { status, stdout } = spawnSync(process.execPath, ['.ci/count.mjs', ...args], { encoding: 'utf8' });
  return { code: status, lines: stdout.trimEnd().split('\n') };
};

describe('the count of a run', () => {
  it('adds up the reports and ends with one line', () => {
    const one = write('one.json', { 'a.test.ts': { a: 'passed', b: 'skipped' } });
    const two = write('two.json', { 'a.test.ts': { a: 'passed', b: 'todo' } });
    expect(count('0', one, two)).toEqual({ code: 0, lines: ['2 passed, 0 failed, 2 skipped'] });
    expect(count('1', one)).toEqual({ code: 1, lines: ['1 passed, 1 failed, 1 skipped'] });
  });

  it('names what failed, and files that could not be loaded', () => {
    const report = write('red.json', { 'a.test.ts': { good: 'passed', bad: 'failed' }, 'b.test.ts': {} }, [
      'b.test.ts',
    ]);
    expect(count('0', report)).toEqual({
      code: 1,
      lines: [
        '== failed',
        '  a.test.ts: bad: expected 1 to be 2',
        '  b.test.ts: cannot be loaded',
        '1 passed, 2 failed, 0 skipped',
      ],
    });
  });

  it('fails without a report, and where nothing passed', () => {
    const missing = path.join(folder, 'missing.json');
    expect(count('0', missing)).toMatchObject({
      code: 1,
      lines: [expect.any(String), `  there is no test report at ${missing}`, '0 passed, 1 failed, 0 skipped'],
    });
    expect(count('0', write('empty.json', {}))).toEqual({ code: 1, lines: ['0 passed, 0 failed, 0 skipped'] });
  });

  it('counts a file that was run again as in its second run, and names what passed only then', () => {
    const first = write('first.json', { 'a.test.ts': { a: 'failed', b: 'passed' }, 'b.test.ts': { c: 'failed' } });
    const good = write('good.json', { 'a.test.ts': { a: 'passed', b: 'passed' }, 'b.test.ts': { c: 'passed' } });
    const mixed = write('mixed.json', { 'a.test.ts': { a: 'passed', b: 'failed' }, 'b.test.ts': { c: 'failed' } });
    expect(count('0', `${first},${good}`)).toEqual({
      code: 0,
      lines: [
        '== passed only when their file was run again, so they need a look',
        '  a.test.ts: a',
        '  b.test.ts: c',
        '3 passed, 0 failed, 0 skipped',
      ],
    });
    expect(count('0', `${first},${mixed}`)).toMatchObject({
      code: 1,
      lines: expect.arrayContaining(['1 passed, 2 failed, 0 skipped']),
    });
    expect(count('0', `${first},${path.join(folder, 'missing.json')}`)).toMatchObject({ code: 1 });
  });

  it('lists the files that failed, for the second run', () => {
    const report = write('files.json', {
      'test/deploy/count.test.ts': { a: 'failed' },
      'test/deploy/package.test.ts': { a: 'passed' },
    });
    expect(count('--failed-files', report).lines).toEqual([path.relative(process.cwd(), here)]);
    expect(count('--failed-files', write('none.json', { 'a.test.ts': { a: 'passed' } })).lines).toEqual(['']);
  });
});
