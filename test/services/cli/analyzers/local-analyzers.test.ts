/** A local review uses the analyzers of the configuration that the caller names. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reviewLocal } from '../../../../services/cli/review/review-local.ts';
import { ReviewOutput } from '../../../../services/cli/review/review-output.ts';
import { findTestCage } from '../../../support/cage.ts';
import {
  createRepository,
  GIT,
  never,
  type Repository,
  temporaryFolder,
} from '../../../shared/workspace/repository.ts';

const FORGE =
  '[[forge]]\nid = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\n' +
  'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n';

const { cage, why, dispose } = await findTestCage();

let folder: ReturnType<typeof temporaryFolder>;
let repository: Repository;
beforeAll(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'shop'));
  repository.write({ 'src/price.js': 'export const price = 3;\n' });
  repository.commit('the base');
  repository.git('branch', 'base');
  repository.write({ 'src/price.js': 'export const price = 4;\n' });
  repository.commit('the change');
});
afterAll(() => {
  folder.dispose();
  dispose();
});

const analyzer = (script: string, more = ''): string =>
  `[[analyzer]]\nname = "lint"\ncommand = ${JSON.stringify(['/bin/sh', '-c', script])}\nformat = "rdjsonl"\n${more}`;

const REPORT = JSON.stringify({
  message: 'Prices are not constants',
  location: { path: 'src/price.js', range: { start: { line: 1 } } },
  severity: 'ERROR',
  code: { value: 'price' },
});

const review = async (settings: string | null, searchPath = process.env['PATH'] ?? '', forge = FORGE) => {
  const notices: string[] = [];
  const configPath = join(folder.path, 'fixpoint.toml');
  writeFileSync(configPath, `${forge}${settings ?? ''}`);
  const output = await reviewLocal({
    directory: repository.workTree,
    base: 'base',
    head: 'HEAD',
    reviewer: { kind: 'rules' },
    searchPath: dirname(GIT),
    cage: {
      configPath: settings === null ? undefined : configPath,
      env: { PATH: searchPath },
      onNotice: (line) => void notices.push(line),
    },
    onProgress: () => {},
    signal: never(),
  });
  return { ...ReviewOutput.parse(output), notices };
};

describe.skipIf(cage === null)(`an analyzer in a local review${why}`, () => {
  it('finds problems on changed lines', async () => {
    const { findings, verdict, notices } = await review(analyzer(`echo '${REPORT}'; exit 1`));
    expect(findings).toMatchObject([
      { rule: 'lint/price', severity: 'P1', path: 'src/price.js', line: 1, title: 'Prices are not constants' },
    ]);
    expect([verdict, notices]).toEqual(['feedback', []]);
  });

  it('lets a change pass in which it finds nothing', async () => {
    expect(await review(analyzer('true'))).toMatchObject({ verdict: 'lgtm', coverage: { complete: true } });
  });

  it('keeps a change from passing if it fails', async () => {
    const { verdict, summary, coverage } = await review(analyzer('exit 2'));
    expect([verdict, coverage.analyzers]).toEqual([
      'inconclusive',
      [{ name: 'lint', reason: 'ended with exit code 2' }],
    ]);
    expect(coverage.omitted).toEqual([{ path: '(analyzer lint)', reason: 'ended with exit code 2' }]);
    expect(summary).toContain('Verdict inconclusive: analyzer `lint` ended with exit code 2.');
  });
});

it('is not passed by without a word on a machine without a cage', async () => {
  const { verdict, summary, notices } = await review(analyzer('true'), '/nowhere');
  expect(verdict).toBe('inconclusive');
  expect(summary).toContain('analyzer `lint` did not run: there is no cage on this machine');
  expect(notices).toEqual([expect.stringMatching(/^no cage is available .*: the analyzers cannot run$/)]);
});

it('does not run for projects that a local repository cannot be, and says so', async () => {
  const { verdict, notices } = await review(analyzer('exit 2', 'projects = ["shop/web"]\n'));
  expect([verdict, notices]).toEqual([
    'lgtm',
    ['lint: not run, because these analyzers have `projects`, and a local review has none'],
  ]);
});

it('is left out with a notice if it is a report of CI', async () => {
  const report = '[[analyzer]]\nname = "sast"\nfrom = "ci-artifact"\njob = "scan"\nartifact = "a.sarif"\n';
  const { verdict, notices } = await review(report, undefined, FORGE.replace('forgejo', 'gitlab'));
  expect([verdict, notices]).toEqual([
    'lgtm',
    ['sast: not used, because a local review has no CI jobs whose reports could be read'],
  ]);
});

it('runs only if the caller names the configuration', async () => {
  expect(await review(null)).toMatchObject({ verdict: 'lgtm', notices: [] });
});
