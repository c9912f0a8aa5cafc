/** What guard stores of the reports of CI jobs for a run, on a real Redis. */
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import {
  type CiReports,
  areReportsAwaited,
  type ReportForge,
  saveReports,
} from '../../../../services/guard/reports/ci-reports.ts';
import { CiReport, unpackReport } from '../../../../shared/analyzers/ci/ci-report.ts';
import { AnalyzerSettings, isFromCi } from '../../../../shared/config/analyzer-settings.ts';
import { type ForgeErrorCode, ForgeRequestError } from '../../../../shared/forge/errors.ts';
import type { Artifact, ReportJob, CiJobsQuery, ReadsCiReports } from '../../../../shared/forge/port-ci-reports.ts';
import { createDocumentStore } from '../../../../shared/store/documents.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { useRedis } from '../../../support/use-redis.ts';
import * as make from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const HEAD = make.sha('head');
const RUN = make.runId('run');
const JOB: ReportJob = { name: 'scan', state: 'passed', id: 7, projectId: 5, createdAtMs: 0, mergedWith: null };

const analyzer = (name: string, more: object = {}) => ({
  name,
  from: 'ci-artifact',
  job: 'scan',
  artifact: 'a.sarif',
  ...more,
});

type Wish = {
  readonly analyzers?: readonly object[];
  readonly jobs?: readonly ReportJob[];
  readonly artifact?: () => Artifact;
  /** Throws when the jobs are listed. */
  readonly listing?: () => unknown;
  readonly serves?: boolean;
};

const stage = ({
  analyzers = [analyzer('sast')],
  jobs = [JOB],
  artifact = () => ({ kind: 'text', text: 'said' }),
  listing = () => null,
  serves = true,
}: Wish = {}) => {
  const asked: string[] = [];
  const queries: CiJobsQuery[] = [];
  const ciReports: ReadsCiReports = {
    fetchCiJobs: async (query) => {
      asked.push('jobs');
      queries.push(query);
      listing();
      return { jobs, hidden: false };
    },
    fetchArtifact: async ({ path, maxBytes }) => {
      asked.push(`${path} up to ${maxBytes}`);
      return artifact();
    },
  };
  const project = { id: 5, path: 'shop-team/shop', webUrl: '', defaultBranch: 'main', unusable: null };
  const forge: ReportForge = {
    read: { fetchProject: async () => project },
    ciReports: serves ? ciReports : null,
  };
  const reports: CiReports = {
    analyzers: AnalyzerSettings.parse(analyzers).filter(isFromCi),
    store: createDocumentStore(redis, CiReport),
    keys: createKeys('fixpoint'),
  };
  const of = { forge, of: make.changeRequest().changeRequest, head: HEAD, signal: never() };
  return {
    asked,
    queries,
    save: async (only: readonly string[] | null = null) =>
      saveReports(reports, { ...of, runId: RUN, only: only === null ? null : new Set(only) }, [1, 1]),
    stored: async (name = 'sast') => reports.store.load(reports.keys.ciReport(RUN, name)),
    awaits: async (nowMs: number) =>
      areReportsAwaited(reports, of, { nowMs, firstSeenMs: 0, graceMs: 10, deadlineMs: 100 }),
  };
};

const refused = (code: ForgeErrorCode) => () => {
  throw new ForgeRequestError({ code, message: 'no', disposition: { kind: 'fail' } });
};

test.each<ForgeErrorCode>([
  'FORGE_BAD_ANSWER',
  'FORGE_FORBIDDEN',
  'FORGE_REDIRECTED',
  'FORGE_REJECTED',
  'FORGE_UNAVAILABLE',
])('a forge that cannot list the jobs (%s) is waited for until the deadline, and then named', async (code) => {
  const { awaits, save, stored } = stage({ listing: refused(code) });
  expect([await awaits(99), await awaits(100)]).toEqual([true, false]);
  await save();
  expect(await stored()).toEqual({
    v: 1,
    kind: 'missing',
    reason: 'has no report: the forge could not list the CI jobs of this commit',
  });
});

test('a forge that limits requests or refuses the token is not taken for one without jobs', async () => {
  for (const code of ['FORGE_RATE_LIMITED', 'FORGE_UNAUTHORISED'] as const)
    await expect(stage({ listing: refused(code) }).awaits(500)).rejects.toMatchObject({ code });
});

test('the report of the head is stored compressed, with what became of its job', async () => {
  const { save, stored, asked, queries } = stage({
    jobs: [{ ...JOB, state: 'failed', mergedWith: make.sha('target') }],
  });
  await save();
  const report = await stored();
  expect(report).toMatchObject({ kind: 'report', failed: true, mergedWith: make.sha('target') });
  expect((await unpackReport(report?.kind === 'report' ? report.gzip : ''))?.toString()).toBe('said');
  expect(asked).toEqual(['jobs', 'a.sarif up to 33554432']);
  expect(queries).toMatchObject([{ head: HEAD, names: ['scan'] }]);
});

test('an effect that is repeated fetches nothing again and changes nothing', async () => {
  const first = stage();
  await first.save();
  const again = stage({ artifact: () => ({ kind: 'text', text: 'another' }) });
  await again.save();
  expect(again.asked).toEqual([]);
  expect(await again.stored()).toEqual(await first.stored());
});

test('only what is still missing is fetched, with one look at the jobs', async () => {
  await stage().save();
  const both = stage({
    analyzers: [analyzer('sast'), analyzer('other', { artifact: 'b.sarif' }), analyzer('third', { job: 'lint' })],
  });
  await both.save();
  expect(both.asked).toEqual(['jobs', 'b.sarif up to 33554432']);
  expect(both.queries).toMatchObject([{ names: ['scan', 'lint'] }]);
  expect(await both.stored('third')).toMatchObject({
    kind: 'missing',
    reason: expect.stringContaining('no CI job "lint"'),
  });
});

test('only the named analyzers and those of the project are of interest', async () => {
  const analyzers = [
    analyzer('sast', { projects: ['other/*'] }),
    analyzer('mine', { projects: ['shop-team/*'] }),
    analyzer('all'),
  ];
  const { save, stored, queries } = stage({ analyzers });
  await save(['sast', 'mine']);
  expect(await Promise.all(['sast', 'mine', 'all'].map(async (name) => (await stored(name))?.kind))).toEqual([
    undefined,
    'report',
    undefined,
  ]);
  expect(queries).toHaveLength(1);
  const none = stage({ analyzers });
  await none.save([]);
  expect(none.asked).toEqual([]);
});

test.each<[what: string, wish: Wish, reason: string | RegExp]>([
  [
    'its job has not ended',
    { jobs: [{ ...JOB, state: 'open', createdAtMs: 9_999 }] },
    'has no report: the CI job "scan" did not end in time',
  ],
  ['the forge serves none', { serves: false }, 'has no report: this forge serves no reports of CI jobs'],
  [
    'there is no such file',
    { artifact: () => ({ kind: 'absent' }) },
    /did not upload "a\.sarif", or the file has expired/,
  ],
  [
    'its job failed before',
    { jobs: [{ ...JOB, state: 'failed' }], artifact: () => ({ kind: 'absent' }) },
    /failed without uploading "a\.sarif"/,
  ],
  ['it is too large', { artifact: () => ({ kind: 'too_large' }) }, 'wrote more than 33554432 bytes'],
  ['the account may not read it', { artifact: refused('FORGE_FORBIDDEN') }, /may not read what the CI job uploads/],
  [
    'the forge redirects',
    { artifact: refused('FORGE_REDIRECTED') },
    /answered with a redirect, which is never followed/,
  ],
  ['its archive is broken', { artifact: refused('FORGE_UNAVAILABLE') }, /could not serve the file "a\.sarif"/],
])('the reason is stored if %s', async (_, wish, reason) => {
  const { save, stored } = stage(wish);
  await save();
  expect(await stored()).toEqual({
    v: 1,
    kind: 'missing',
    reason: reason instanceof RegExp ? expect.stringMatching(reason) : reason,
  });
});

test.each<ForgeErrorCode>(['FORGE_RATE_LIMITED', 'FORGE_UNAUTHORISED', 'FORGE_ABORTED'])(
  '%s is tried again later',
  async (code) => {
    const { save, stored } = stage({ artifact: refused(code) });
    await expect(save()).rejects.toMatchObject({ code });
    expect(await stored()).toBeNull();
  },
);

test('a review waits while one of the jobs runs, until its deadline', async () => {
  const running = stage({
    jobs: [
      { ...JOB, state: 'open' },
      { ...JOB, name: 'lint' },
    ],
    analyzers: [analyzer('lint', { job: 'lint' }), analyzer('sast')],
  });
  expect([await running.awaits(99), await running.awaits(100)]).toEqual([true, false]);
  expect(await stage().awaits(0)).toBe(false);
  expect(await stage({ jobs: [] }).awaits(9)).toBe(true);
  expect(await stage({ jobs: [], serves: false }).awaits(9)).toBe(false);
  const elsewhere = stage({ jobs: [], analyzers: [analyzer('sast', { projects: ['other/*'] })] });
  expect([await elsewhere.awaits(9), elsewhere.asked]).toEqual([false, []]);
});
