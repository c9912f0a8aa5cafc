/** Pipelines, head pipelines, jobs, rules of branches and the check of CI, as GitLab's source has them. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compositeStatus } from '../sim/gitlab/composite.ts';
import { mrPath, project, rowOf, rowsOf, useScene } from './gitlab-support.ts';

const current = useScene();
const at = { project, iid: 1 };
const mr = () => current().sim.mergeRequestAt(at);
const head = () => mr().headSha;
const author = () => mr().author.username;
const post = (sha: string, more: Record<string, unknown> = {}) =>
  current().api(current().bot, 'POST', `/projects/1/statuses/${sha}`, { state: 'pending', name: 'fixpoint', ...more });
const Told = z.object({ object_attributes: z.object({ status: z.string(), ref: z.string() }) });
const running = [{ name: 'test', state: 'running' }];
const push = (branch = 'feature') =>
  current().sim.commitFiles({
    project,
    branch,
    files: { 'more.txt': `${Date.now()}` },
    message: 'more',
    author: author(),
  });
const headPipeline = async () => rowOf(await current().api(current().bot, 'GET', mrPath))['head_pipeline'];

describe('a pipeline after a push', () => {
  it('is made later, with a higher id than that of a status in between, and becomes the head pipeline', async () => {
    const { sim } = current();
    sim.setProjectCi(project, { pipelines: 'branch', after: 'held', jobs: running });
    const sha = await push();
    await post(sha, { ref: 'feature' });
    expect(await headPipeline()).toMatchObject({ source: 'external', status: 'pending' });
    await sim.createPipelines(project);
    expect(await headPipeline()).toMatchObject({ source: 'push', status: 'running', sha, yaml_errors: null });
    expect(mr().headPipeline?.pipeline.id).toBeGreaterThan(1);
  });

  it('stays the head pipeline of an older head until then, which merging does not count', async () => {
    const { sim } = current();
    sim.setPipelinesMustSucceed(project, true);
    await sim.addPipelineNow({
      project,
      sha: head(),
      ref: 'feature',
      as: author(),
      jobs: [{ name: 'test', state: 'success' }],
    });
    expect(sim.gateOf(at).isMergeable).toBe(true);
    const old = head();
    await push();
    expect(await headPipeline()).toMatchObject({ sha: old });
    expect(sim.gateOf(at)).toEqual({ ci: 'failed', isMergeable: false });
  });

  it('of merged results has the target and the head as parents, and is told before those of the branch', async () => {
    const { sim, api, bot } = current();
    sim.setProjectCi(project, { pipelines: 'merged_result', after: 'held', jobs: running });
    const sha = await push();
    expect(sim.gateOf(at).ci).toBe('inactive');
    sim.setPipelinesMustSucceed(project, true);
    expect(sim.gateOf(at).ci).toBe('checking');
    await sim.createPipelines(project);
    await sim.addPipelineNow({ project, sha, ref: 'feature', as: author(), jobs: running });
    const listed = rowsOf(await api(bot, 'GET', `${mrPath}/pipelines`));
    expect(listed.map(({ source }) => source)).toEqual(['merge_request_event', 'push']);
    const trial = await api(bot, 'GET', `/projects/1/repository/commits/${String(listed[0]?.['sha'])}`);
    expect(rowOf(trial)['parent_ids']).toContain(sha);
  });

  it('with a broken file has no jobs and has failed', async () => {
    const { sim } = current();
    sim.setProjectCi(project, { pipelines: 'branch', after: 'held', jobs: running, yamlErrors: 'no jobs' });
    await push();
    await sim.createPipelines(project);
    expect(await headPipeline()).toMatchObject({ status: 'failed', yaml_errors: 'no jobs' });
  });

  it('tells of itself when its state changes, and only then, under the name of the source branch', async () => {
    const { sim } = current();
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/hook', token: 'x'.repeat(24), events: ['pipeline_events'] });
    const told = () => sim.deliveries.map(({ body }) => Told.parse(JSON.parse(body)).object_attributes);
    const wish = { project, sha: head(), ref: 'refs/merge-requests/1/head', as: author(), mergeRequest: at };
    const id = await sim.addPipelineNow({ ...wish, source: 'merge_request_event', jobs: running });
    await sim.setJob({ project, pipeline: id, name: 'test', state: 'running' });
    await post(head(), { pipeline_id: id });
    await sim.setJob({ project, pipeline: id, name: 'test', state: 'failed' });
    expect(told().map(({ status, ref }) => [status, ref])).toEqual([['running', 'feature']]);
  });
});

describe('a status', () => {
  it('on a protected branch is refused after its pipeline was made, which stays', async () => {
    const { sim } = current();
    sim.protectBranch({ project, pattern: 'feat*', push: 40, merge: 40 });
    sim.setPipelinesMustSucceed(project, true);
    expect((await post(head(), { ref: 'feature' })).status).toBe(403);
    expect(await headPipeline()).toMatchObject({ source: 'external', status: 'created' });
    expect(sim.gateOf(at)).toEqual({ ci: 'failed', isMergeable: false });
  });

  it.each([
    [30, 40],
    [0, 30],
  ] as const)('is taken where developers may push (%i) or merge (%i)', async (pushing, merging) => {
    current().sim.protectBranch({ project, pattern: 'feature', push: pushing, merge: merging });
    expect((await post(head(), { ref: 'feature' })).status).toBe(201);
  });

  it('is refused under the name of a job, with too many words, and in a full pipeline', async () => {
    const { sim } = current();
    const jobs = [{ name: 'fixpoint', state: 'success' }];
    const id = await sim.addPipelineNow({ project, sha: head(), ref: 'feature', as: author(), jobs });
    const taken = await post(head(), { pipeline_id: id });
    expect([taken.status, rowOf(taken)]).toEqual([400, { message: { name: ['has already been taken'] } }]);
    const long = await post(head(), { pipeline_id: id, name: 'x', description: 'y'.repeat(256) });
    expect(rowOf(long)).toEqual({ message: { description: ['is too long (maximum is 255 characters)'] } });
    sim.setMaxJobsInPipeline(project, 0);
    expect((await post(head(), { pipeline_id: id, name: 'x' })).status).toBe(422);
  });

  it('is taken by a short revision too', async () => {
    expect((await post(head().slice(0, 10), { ref: 'feature' })).status).toBe(201);
  });

  it('of a child pipeline is not listed', async () => {
    const { sim, api, bot } = current();
    const wish = { project, sha: head(), ref: 'feature', as: author(), jobs: running };
    await sim.addPipelineNow({ ...wish, source: 'parent_pipeline' });
    expect(rowsOf(await api(bot, 'GET', `/projects/1/repository/commits/${head()}/statuses`))).toEqual([]);
    expect(await headPipeline()).toBeNull();
  });
});

describe('auto-merge', () => {
  it('merges when the head pipeline has passed, and is called off by a push', async () => {
    const { sim } = current();
    const id = await sim.addPipelineNow({ project, sha: head(), ref: 'feature', as: author(), jobs: running });
    sim.armAutoMerge({ ...at, as: author() });
    expect(sim.gateOf(at)).toEqual({ ci: 'checking', isMergeable: false });
    await sim.setJob({ project, pipeline: id, name: 'test', state: 'success' });
    expect(mr().state).toBe('merged');
  });

  it('is called off by a push', async () => {
    current().sim.armAutoMerge({ ...at, as: author() });
    await push();
    expect(mr().autoMergeBy).toBeNull();
  });
});

describe('the rules of a branch', () => {
  it('are told with what the asker and developers may do', async () => {
    const { sim, api, bot } = current();
    const read = async () => rowOf(await api(bot, 'GET', '/projects/1/repository/branches/feature'));
    expect(await read()).toMatchObject({ protected: false, can_push: true });
    sim.protectBranch({ project, pattern: '*', push: 40, merge: 30 });
    expect(await read()).toMatchObject({ protected: true, can_push: false, developers_can_merge: true });
  });
});

describe('the state of a pipeline', () => {
  it.each<[string, readonly (readonly [string, boolean?])[], string | null]>([
    ['no job', [], null],
    ['a job that may fail', [['success'], ['failed', true]], 'success'],
    ['a job that may be started', [['success'], ['manual', true]], 'success'],
    ['a job that must be started', [['success'], ['manual']], 'manual'],
    ['skipped jobs', [['skipped'], ['manual', true]], 'skipped'],
    ['a canceled job', [['success'], ['canceled']], 'canceled'],
    ['a waiting job', [['success'], ['pending']], 'running'],
    ['waiting jobs alone', [['pending'], ['created']], 'pending'],
    ['a failed job beside one that runs', [['failed'], ['running']], 'running'],
    ['a failed job', [['failed'], ['success'], ['skipped']], 'failed'],
  ])('with %s', (_what, jobs, expected) => {
    expect(compositeStatus(jobs.map(([state, allowFailure = false]) => ({ state, allowFailure })))).toBe(expected);
  });
});
