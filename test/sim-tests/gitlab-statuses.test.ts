/** GL app/services/ci/create_commit_status_service.rb; forges.md 2.6, 3.7. */
import { describe, expect, it } from 'vitest';
import { mrPath, project, rowOf, rowsOf, useScene } from './gitlab-support.ts';

const current = useScene();
const head = () => current().sim.mergeRequestAt({ project, iid: 1 }).headSha;
const post = (state: string, more: Record<string, unknown> = {}, sha = head(), who = current().bot) =>
  current().api(who, 'POST', `/projects/1/statuses/${sha}`, { state, name: 'fixpoint', ref: 'feature', ...more });
const listed = async (query = '') =>
  rowsOf(await current().api(current().bot, 'GET', `/projects/1/repository/commits/${head()}/statuses${query}`));

describe('a commit status', () => {
  it('is called status in the answer and belongs to a pipeline of the ref', async () => {
    const answer = await post('pending', { description: 'reviewing', target_url: 'http://127.0.0.1/x' });
    expect([answer.status, rowOf(answer)]).toMatchObject([
      201,
      { status: 'pending', name: 'fixpoint', ref: 'feature', sha: head(), pipeline_id: 1, description: 'reviewing' },
    ]);
  });

  it.each(['pending', 'running'])('cannot be set to %s twice', async (state) => {
    await post(state);
    const answer = await post(state);
    expect(answer.status).toBe(400);
    expect(rowOf(answer)['message']).toMatch(/^Cannot transition status via :\w+ from :\w+/);
  });

  it('cannot go back from running to pending', async () => {
    await post('running');
    expect((await post('pending')).status).toBe(400);
  });

  it.each([
    ['pending', 'running', 'success'],
    ['pending', 'failed', 'pending', 'success'],
    ['success', 'success'],
    ['running', 'canceled', 'failed'],
  ])('goes from %s to %s', async (...states) => {
    for (const state of states) expect((await post(state)).status).toBe(201);
    expect((await listed()).map((row) => row['status'])).toEqual([states.at(-1)]);
  });

  it('that has ended is followed by a new job: only the newest is listed unless all are asked for', async () => {
    await post('failed');
    await post('success');
    expect((await listed()).map((row) => row['status'])).toEqual(['success']);
    expect((await listed('?all=true')).map((row) => row['status'])).toEqual(['failed', 'success']);
  });

  it('of one user is not continued by another', async () => {
    await post('pending');
    expect((await post('pending', {}, head(), current().owner)).status).toBe(201);
  });

  it.each(['failure', 'error', ''])('has no state %s', async (state) => {
    expect((await post(state)).json).toEqual({ error: 'state does not have a valid value' });
  });

  it('of an unknown commit is a 404', async () => {
    const answer = await post('success', {}, 'f'.repeat(40));
    expect([answer.status, answer.json]).toEqual([404, { message: '404 Commit Not Found' }]);
  });

  it('needs a developer', async () => {
    const { sim, outsider } = current();
    sim.addMember(project, 'outsider', 20);
    expect((await post('success', {}, head(), outsider)).status).toBe(403);
  });

  it('has a description of at most 255 characters', async () => {
    expect((await post('success', { description: 'x'.repeat(256) })).status).toBe(400);
  });

  it('of a head that only a fork has needs the ref: no branch of this project holds it', async () => {
    const { sim } = current();
    sim.addMember(project, 'outsider', 20);
    await sim.forkProject(project, 'outsider');
    const sha = await sim.commitFiles({
      project: 'outsider/shop',
      branch: 'f',
      files: { f: 'f' },
      message: 'f',
      author: 'outsider',
    });
    await sim.openMergeRequest({
      project,
      sourceProject: 'outsider/shop',
      sourceBranch: 'f',
      title: 'f',
      author: 'outsider',
    });
    const bare = await current().api(current().bot, 'POST', `/projects/1/statuses/${sha}`, { state: 'success' });
    expect([bare.status, bare.json]).toEqual([404, { message: '404 References for commit Not Found' }]);
    expect((await post('success', { ref: 'f' }, sha)).status).toBe(201);
  });

  it('is a 409 while another update holds the lock', async () => {
    const { sim } = current();
    sim.setStatusLockWait(10);
    const release = sim.holdStatusLock(project, head());
    const refused = await post('success');
    expect([refused.status, refused.json]).toEqual([
      409,
      { message: 'Another update to this commit status is in progress' },
    ]);
    expect(await listed()).toEqual([]);
    // The key has the SHA as the request spells it.
    expect((await post('success', {}, head().slice(0, 12))).status).toBe(201);
    release();
    expect((await post('success')).status).toBe(201);
  });

  it('waits for another update of its commit that ends within ten seconds', async () => {
    const { sim } = current();
    const release = sim.holdStatusLock(project, head());
    const [first, second] = [post('pending', { name: 'one' }), post('pending', { name: 'two' })];
    const before = sim.requests.length;
    await sim.until(() => sim.requests.length >= before + 2).catch(() => undefined);
    release();
    expect([(await first).status, (await second).status]).toEqual([201, 201]);
    expect(new Set((await listed()).map((row) => row['pipeline_id'])).size).toBe(1);
  });

  it('is a pipeline event of source external, which no merge request is named in', async () => {
    const { sim } = current();
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['pipeline_events'] });
    await post('success');
    await sim.runPipeline({
      project,
      sha: head(),
      ref: 'feature',
      status: 'failed',
      as: 'author',
      source: 'merge_request_event',
    });
    const sent = sim.deliveries.map((delivery) => JSON.parse(delivery.body));
    expect(sent).toMatchObject([
      { object_kind: 'pipeline', object_attributes: { source: 'external', status: 'success' }, merge_request: null },
      { object_attributes: { source: 'merge_request_event', status: 'failed' }, merge_request: { iid: 1 } },
    ]);
  });

  it('shows in the pipeline of the merge request', async () => {
    const { api, bot } = current();
    await post('running');
    expect(rowOf(await api(bot, 'GET', mrPath))['head_pipeline']).toMatchObject({
      status: 'running',
      source: 'external',
    });
    expect(rowsOf(await api(bot, 'GET', `${mrPath}/pipelines`))).toMatchObject([{ status: 'running' }]);
  });
});
