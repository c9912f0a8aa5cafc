/** The report of a CI job against the head that it was made for, with real git. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyze } from '../../../shared/analyzers/analyze.ts';
import { type CiReport, missingReport, packReport } from '../../../shared/analyzers/ci/ci-report.ts';
import { readCiReport } from '../../../shared/analyzers/read-ci-report.ts';
import { type ArtifactAnalyzer, AnalyzerSettings, isFromCi } from '../../../shared/config/analyzer-settings.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createReviewWorld, type ReviewWorld, textOf } from '../../services/reviewer/review-world.ts';

const signal = new AbortController().signal;

const [made] = AnalyzerSettings.parse([
  { name: 'sast', from: 'ci-artifact', job: 'scan', artifact: 'a.jsonl', format: 'rdjsonl' },
]);
if (made === undefined || !isFromCi(made)) throw new Error('no analyzer of CI');
const analyzer: ArtifactAnalyzer = made;

let world: ReviewWorld;
let head: CommitSha;
let target: CommitSha;
beforeAll(() => {
  world = createReviewWorld();
  const base = world.commit({ 'both.js': textOf('one', 'two'), 'old.js': textOf('old') });
  target = world.commit({ 'both.js': textOf('zero', 'one', 'two'), 'only-target.js': textOf('x') });
  world.repository.git('checkout', '-q', '-b', 'feature', base);
  head = world.commit({ 'both.js': textOf('one', 'three'), 'a.js': textOf('eval(x)') });
});
afterAll(() => world.dispose());

const hit = (path: string): string =>
  JSON.stringify({ message: 'bad', location: { path, range: { start: { line: 1 } } }, code: { value: 'x' } });

type Stored = Partial<CiReport & { readonly kind: 'report' }>;
const reportOf = async (text: string, more: Stored = {}): Promise<CiReport> => ({
  v: 1,
  kind: 'report',
  gzip: await packReport(text),
  failed: false,
  mergedWith: null,
  ...more,
});

const read = (stored: CiReport | null, files: readonly string[] = ['a.js', 'both.js'], project: string | null = null) =>
  readCiReport(analyzer, stored, { revisions: world.source().revisions, head, project, files }, signal);

const seen = async (reading: ReturnType<typeof read>) => {
  const { hits, failure, present } = await reading;
  return { paths: hits.map(({ path }) => path), failure, present };
};

describe('a report of CI', () => {
  it('gives hits in the files of interest, and says which of them it is about', async () => {
    const report = await reportOf([hit('a.js'), hit('old.js')].join('\n'));
    expect(await seen(read(report, ['a.js', 'gone.js']))).toEqual({
      paths: ['a.js'],
      failure: null,
      present: ['a.js'],
    });
  });

  it.each<[what: string, stored: () => Promise<CiReport | null>, failure: string]>([
    ['is no longer stored', async () => null, 'has no report: what was fetched is no longer stored'],
    ['was never fetched', async () => missingReport('has no report: why'), 'has no report: why'],
    ['is damaged', () => reportOf('', { gzip: 'AAAA' }), 'has no report: what was stored is damaged'],
    ['is malformed', () => reportOf('{'), 'wrote no rdjsonl: expected one JSON object per line'],
    [
      'is empty although its job failed',
      () => reportOf('', { failed: true }),
      'reported nothing, although its CI job "scan" failed',
    ],
    [
      'is about another tree',
      () => reportOf(hit('build/out.js')),
      'reported results for 1 files that the repository does not contain',
    ],
  ])('that %s proves nothing', async (_, stored, failure) => {
    expect(await seen(read(await stored()))).toMatchObject({ failure, paths: [] });
  });

  it('is not needed if none of the files exists any more', async () => {
    expect(await seen(read(null, ['gone.js']))).toEqual({ paths: [], failure: null, present: [] });
  });

  it('may name files by the folder in which CI checks out the project', async () => {
    const report = await reportOf(hit('/builds/1a2b/0/shop-team/shop/a.js'));
    expect(await seen(read(report, ['a.js'], 'shop-team/shop'))).toMatchObject({ paths: ['a.js'], failure: null });
    expect(await seen(read(report, ['a.js'], 'team/shop'))).toMatchObject({
      paths: [],
      failure: expect.stringContaining('1 result without a place'),
    });
    expect(await seen(read(report, ['a.js']))).toMatchObject({
      failure: expect.stringContaining('1 result without a place'),
    });
  });

  it('of a merge counts for files that the target branch does not change, and may name files of the target branch', async () => {
    const report = await reportOf([hit('a.js'), hit('only-target.js')].join('\n'), { mergedWith: target });
    expect(await seen(read(report, ['a.js']))).toMatchObject({ paths: ['a.js'], failure: null });
  });

  it('of a merge has failed for files that the target branch changes too, because their lines may be other ones', async () => {
    const report = await reportOf([hit('a.js'), hit('both.js')].join('\n'), { mergedWith: target });
    expect(await seen(read(report))).toMatchObject({
      paths: ['a.js'],
      failure: 'ran on a merge with the target branch, which also changes 1 file of the change',
    });
  });

  it('of a merge with an unknown commit proves nothing', async () => {
    const report = await reportOf(hit('a.js'), { mergedWith: CommitSha.parse('f'.repeat(40)) });
    expect(await seen(read(report))).toMatchObject({
      paths: [],
      failure: expect.stringContaining('is not known here'),
    });
  });

  it('needs no cage', async () => {
    const stored = await reportOf(hit('a.js'));
    const analysis = await analyze(
      {
        revisions: world.source().revisions,
        head,
        project: null,
        files: [{ path: 'a.js', rule: null }],
        ciReport: async (name) => (name === 'sast' ? stored : null),
      },
      { cage: null, analyzers: [analyzer], checkoutFolder: '/nonexistent', nowMs: () => 0 },
      signal,
    );
    expect(analysis).toMatchObject({
      ran: [{ name: 'sast', paths: ['a.js'] }],
      hits: [{ rule: 'sast/x' }],
      failed: [],
    });
  });

  it.each<[what: string, paths: readonly string[], stored: CiReport | null, ran: readonly object[]]>([
    ['knows the changed files that its `paths` name', ['*.js'], null, [{ paths: ['a.js'], knows: ['a.js'] }]],
    ['knows none without `paths`', [], null, [{ paths: ['a.js'] }]],
    ['knows none if there is no report of this head', ['*.js'], missingReport('has no report: it was skipped'), []],
  ])('%s', async (_, paths, instead, ran) => {
    const ciReport = async () => instead ?? (await reportOf(hit('a.js')));
    const analysis = await analyze(
      { revisions: world.source().revisions, head, project: null, files: [{ path: 'a.js', rule: null }], ciReport },
      { cage: null, analyzers: [{ ...analyzer, paths: [...paths] }], checkoutFolder: '/nonexistent', nowMs: () => 0 },
      signal,
    );
    expect(analysis.ran).toEqual(ran.map((one) => ({ name: 'sast', ...one })));
  });
});
