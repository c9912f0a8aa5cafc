import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportsOf, writeReports } from '../../../../services/cli/ci/write-reports.ts';
import type { ReviewOutput } from '../../../../services/cli/review/review-output.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';

const ESC = String.fromCharCode(27);
/** A colour, a hyperlink (OSC 8) and a return to the beginning of the line. */
const HOSTILE = `${ESC}[31m ${ESC}]8;;http://evil.invalid${ESC}\\ \r`;

const OUTPUT: ReviewOutput = {
  version: '0.0.0',
  runner: 'rules',
  commits: null,
  mode: 'change',
  verdict: 'feedback',
  summary: `One finding ${HOSTILE}`,
  findings: [
    {
      id: 'F-001',
      severity: 'P1',
      blocking: true,
      relation: 'current_diff',
      path: `src/${HOSTILE}.js`,
      side: 'new',
      startLine: 1,
      line: 1,
      title: `Title ${HOSTILE}`,
      body: `Body ${HOSTILE}`,
      evidence: '',
      suggestion: null,
      rule: 'js/eval',
    },
  ],
  unverified: [],
  coverage: { files: 1, reviewed: 1, omitted: [], complete: true },
  ignored: 0,
  exceeded: null,
  notes: [],
  spent: NOTHING_SPENT,
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-reports-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
const read = async (name: string): Promise<string> => readFile(at(name), 'utf8');

test('each report goes to its file, in folders that need not exist', async () => {
  const files = { codeQuality: at('a/quality.json'), sarif: at('b/c.sarif'), summary: at('d.md') };
  await writeReports(reportsOf(OUTPUT, files, { GITHUB_STEP_SUMMARY: at('unused.md') }));
  expect(JSON.parse(await read('a/quality.json'))).toHaveLength(1);
  expect(JSON.parse(await read('b/c.sarif'))).toMatchObject({ version: '2.1.0' });
  expect(await read('d.md')).toMatch(/^## Fixpoint: Changes are needed/);
  await expect(read('unused.md')).rejects.toThrow('ENOENT');
});

test('the summary is appended to that of the job, and a file that is named is replaced', async () => {
  const shared = reportsOf(OUTPUT, {}, { GITHUB_STEP_SUMMARY: at('step.md') });
  for (let round = 0; round < 2; round += 1) await writeReports(shared);
  expect((await read('step.md')).match(/^## Fixpoint/gm)).toHaveLength(2);
  const own = reportsOf(OUTPUT, { summary: at('own.md') }, {});
  for (let round = 0; round < 2; round += 1) await writeReports(own);
  expect((await read('own.md')).match(/^## Fixpoint/gm)).toHaveLength(1);
});

test('nothing is written unless asked for', () => {
  expect(reportsOf(OUTPUT, {}, { GITHUB_STEP_SUMMARY: '' })).toEqual([]);
});

test('a file that cannot be written is named, and the other files are written', async () => {
  const files = { codeQuality: folder, sarif: at('after.sarif') };
  await expect(writeReports(reportsOf(OUTPUT, files, {}))).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(folder),
  });
  expect(await read('after.sarif')).toContain('2.1.0');
});

test('L4: a report holds no control character that a repository or a model has written', () => {
  const reports = reportsOf(OUTPUT, { codeQuality: 'q', sarif: 's', summary: 'm' }, {});
  for (const { text } of reports) expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
