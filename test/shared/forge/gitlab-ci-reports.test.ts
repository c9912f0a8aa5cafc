/** Jobs of exactly one head, and the files that they have uploaded. */
import { describe, expect, it } from 'vitest';
import type { ReadsCiReports } from '../../../shared/forge/port-ci-reports.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { NewJob } from '../../sim/gitlab/world.ts';
import { signal } from './conformance-bench.ts';
import { useGitlab } from './gitlab-bench.ts';

const bench = useGitlab();
const { fault, requests } = bench;

const reports = (): ReadsCiReports => {
  const { ciReports } = bench.world.forge;
  if (ciReports === null) throw new Error('GitLab serves reports');
  return ciReports;
};
const jobsAt = async (head: string, names: readonly string[] = ['sast']) => {
  const { changeRequest } = bench.world;
  return reports().fetchCiJobs({ changeRequest, head: CommitSha.parse(head), names }, signal);
};

type Run = { readonly sha?: string; readonly source?: 'push' | 'merge_request_event' | 'parent_pipeline' };

const run = (jobs: readonly NewJob[], { sha = bench.world.head, source = 'push' }: Run = {}): Promise<number> => {
  const { sim, project, author } = bench.world;
  const of = source === 'merge_request_event' ? { mergeRequest: { project, iid: 1 } } : {};
  const ref = source === 'merge_request_event' ? 'refs/merge-requests/1/head' : 'feature';
  return sim.addPipelineNow({ project, sha, ref, source, as: author.login, jobs, ...of });
};
const push = () => {
  const { sim, project, author } = bench.world;
  return sim.commitFiles({ project, branch: 'feature', files: { 'n.txt': 'x\n' }, message: 'x', author: author.login });
};

const text = async (name: string, path: string, maxBytes = 1_000) => {
  const { jobs } = await jobsAt(bench.world.head, [name]);
  const [job] = jobs;
  if (job === undefined) throw new Error(`no job ${name}`);
  return reports().fetchArtifact({ job, path, maxBytes }, signal);
};

describe('the jobs of a head', () => {
  it.each([
    ['created', 'open'],
    ['waiting_for_resource', 'open'],
    ['running', 'open'],
    ['canceling', 'open'],
    ['a_new_state', 'open'],
    ['manual', 'held'],
    ['success', 'passed'],
    ['failed', 'failed'],
    ['canceled', 'not_run'],
    ['skipped', 'not_run'],
  ] as const)('that are %s are %s', async (state, told) => {
    await run([{ name: 'sast', state }]);
    expect(await jobsAt(bench.world.head)).toMatchObject({ jobs: [{ name: 'sast', state: told }], hidden: false });
  });

  it('are those of the newest pipeline that has one of the name, without bridges, child pipelines and statuses', async () => {
    const { sim, project, head, author } = bench.world;
    await sim.setStatus({ project, sha: head, name: 'sast', state: 'running', as: author.login });
    await run([{ name: 'sast', state: 'failed' }]);
    const newest = await run([{ name: 'sast', state: 'success' }], { source: 'merge_request_event' });
    await run([{ name: 'lint', state: 'success' }]);
    await run([{ name: 'sast', state: 'running', kind: 'bridge' }]);
    await run([{ name: 'sast', state: 'running' }], { source: 'parent_pipeline' });
    expect((await jobsAt(bench.world.head, ['sast', 'lint'])).jobs.map(({ name, state }) => [name, state])).toEqual([
      ['lint', 'passed'],
      ['sast', 'passed'],
    ]);
    await sim.setJob({ project, pipeline: newest, name: 'sast', state: 'retried' });
    expect((await jobsAt(bench.world.head)).jobs).toMatchObject([{ state: 'open' }]);
  });

  it('are never those of an older head', async () => {
    const old = bench.world.head;
    await run([{ name: 'sast', state: 'success' }]);
    const sha = await push();
    expect((await jobsAt(sha)).jobs).toEqual([]);
    expect((await jobsAt(old)).jobs).toHaveLength(1);
  });

  it('are also those of its merge with the target branch, whose commit is named', async () => {
    const { sim, project } = bench.world;
    const jobs = [{ name: 'sast', state: 'success' }];
    sim.setProjectCi(project, { pipelines: 'merged_result', after: 'held', jobs });
    const sha = await push();
    await sim.createPipelines(project);
    const { base } = bench.world;
    expect((await jobsAt(sha)).jobs).toMatchObject([{ name: 'sast', mergedWith: base }]);
    expect((await jobsAt(bench.world.head)).jobs).toEqual([]);
  });

  it('are hidden if the account may not see them, and none if there is no pipeline', async () => {
    expect(await jobsAt(bench.world.head)).toEqual({ jobs: [], hidden: false });
    await run([{ name: 'sast', state: 'success' }]);
    fault({ path: '/jobs' }, { kind: 'status', status: 403 });
    expect(await jobsAt(bench.world.head)).toEqual({ jobs: [], hidden: true });
    fault({ path: '/merge_requests/1/pipelines' }, { kind: 'status', status: 403 });
    expect(await jobsAt(bench.world.head)).toEqual({ jobs: [], hidden: true });
  });

  it('are read with one request for each pipeline until every name is found', async () => {
    await run([{ name: 'sast', state: 'success' }]);
    await run([{ name: 'sast', state: 'success' }]);
    await jobsAt(bench.world.head);
    expect(requests().filter(({ path }) => path.includes('/jobs'))).toHaveLength(1);
  });
});

describe('a file of a job', () => {
  const job = (more: Partial<NewJob> = {}): NewJob => ({
    name: 'sast',
    state: 'success',
    artifacts: { 'out/a b.sarif': '\uFEFF{"version"' },
    ...more,
  });

  it('is read as it is, also if it is not JSON, by its path in the archive', async () => {
    await run([job()]);
    expect(await text('sast', 'out/a b.sarif')).toEqual({ kind: 'text', text: '\uFEFF{"version"' });
    expect(requests().at(-1)?.path).toMatch(/\/jobs\/\d+\/artifacts\/out\/a%20b\.sarif$/);
  });

  it.each<[what: string, job: NewJob]>([
    ['another path', job({ artifacts: { 'other.sarif': 'x' } })],
    ['no archive', { name: 'sast', state: 'success' }],
  ])('is absent with %s', async (_, made) => {
    await run([made]);
    expect(await text('sast', 'out/a b.sarif')).toEqual({ kind: 'absent' });
  });

  it('is absent when it has expired', async () => {
    const pipeline = await run([job()]);
    bench.world.sim.expireArtifacts({ project: bench.world.project, pipeline, name: 'sast' });
    expect(await text('sast', 'out/a b.sarif')).toEqual({ kind: 'absent' });
  });

  it('is not read to the end if it is too large', async () => {
    await run([job({ artifacts: { 'out/a b.sarif': 'x'.repeat(5_000) } })]);
    expect(await text('sast', 'out/a b.sarif')).toEqual({ kind: 'too_large' });
  });

  it.each([
    [403, 'FORGE_FORBIDDEN'],
    [302, 'FORGE_REDIRECTED'],
    [500, 'FORGE_UNAVAILABLE'],
  ])('that the forge answers with %i fails with %s', async (status, code) => {
    await run([job()]);
    fault({ path: '/artifacts/' }, { kind: 'status', status });
    await expect(text('sast', 'out/a b.sarif')).rejects.toMatchObject({ code });
  });
});
