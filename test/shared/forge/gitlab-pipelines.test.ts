/** Into which pipeline a status goes, and which one CI is read from. */
import { describe, expect, it } from 'vitest';
import type { StatusState } from '../../../shared/forge/port-statuses.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { signal } from './conformance-bench.ts';
import { useGitlab } from './gitlab-bench.ts';

const bench = useGitlab();
const { fault, requests } = bench;

const write = (state: StatusState, number = 1, head: string = bench.world.head) =>
  bench.world.forge.write.writeStatus(
    { ...bench.world.changeRequest, number },
    {
      head: CommitSha.parse(head),
      sourceBranch: 'feature',
      state,
      context: 'fixpoint',
      description: '',
      targetUrl: null,
    },
    signal,
  );

type Source = 'push' | 'merge_request_event' | 'schedule';

const run = (source: Source, status = 'success', iid = 1) => {
  const { sim, project, author, head } = bench.world;
  const of = source === 'merge_request_event' ? { mergeRequest: { project, iid } } : {};
  const ref = source === 'merge_request_event' ? `refs/merge-requests/${iid}/head` : 'feature';
  const jobs = [{ name: 'test', state: status }];
  return sim.addPipelineNow({ project, sha: head, ref, source, as: author.login, jobs, ...of });
};

const runMerged = async (status = 'success') => {
  const { sim, project, author } = bench.world;
  const jobs = [{ name: 'test', state: status }];
  sim.setProjectCi(project, { pipelines: 'merged_result', after: 'held', jobs });
  const sha = await sim.commitFiles({
    project,
    branch: 'feature',
    files: { 'new.txt': 'x\n' },
    message: 'x',
    author: author.login,
  });
  await sim.createPipelines(project);
  return sha;
};

/** What of ours is in each pipeline, oldest first. */
const standing = () => {
  const mr = bench.world.sim.mergeRequestAt(bench.at());
  return mr.project.pipelines.map(({ source, id }) => ({
    source,
    ours: mr.project.statuses
      .filter(({ pipeline, kind }) => pipeline.id === id && kind === 'generic')
      .map(({ state }) => state),
  }));
};
const posts = () => requests().filter(({ method }) => method === 'POST');
const facts = () => bench.world.forge.read.fetchChangeRequest(bench.world.changeRequest, signal);
const checks = async (head: string = bench.world.head) => {
  const { changeRequest, bot } = bench.world;
  const of = { changeRequest, head: CommitSha.parse(head), targetBranch: 'main', botIds: new Set([bot.id]) };
  const { statuses } = await bench.world.forge.read.fetchChecks(of, signal);
  return statuses.map(({ context, state }) => `${context} ${state}`);
};

describe('the pipeline of a status', () => {
  it('is the branch’s where the project has none for merge requests', async () => {
    await run('push');
    for (const state of ['pending', 'success'] as const) await write(state);
    expect(standing()).toEqual([{ source: 'push', ours: ['success'] }]);
  });

  it('is one of its own where the project has none at all', async () => {
    for (const state of ['pending', 'failure'] as const) await write(state);
    expect(standing()).toEqual([{ source: 'external', ours: ['failed'] }]);
  });

  it('is the merge request’s, which merging waits for, beside one of the branch', async () => {
    await run('merge_request_event');
    await run('push');
    for (const state of ['pending', 'success'] as const) await write(state);
    expect(standing()).toEqual([
      { source: 'merge_request_event', ours: ['success'] },
      { source: 'push', ours: [] },
    ]);
  });

  it.each(['push', 'merge_request_event', 'schedule'] as const)(
    'GL2: is the newer one (%s) that began after our pending: pending is said there again, and the older one ends too',
    async (source) => {
      const { sim } = bench.world;
      await write('pending');
      await run(source);
      sim.setPipelinesMustSucceed(bench.world.project, true);
      expect(sim.gateOf(bench.at()).isMergeable).toBe(true);
      await write('pending');
      expect(standing()).toEqual([
        { source: 'external', ours: ['pending'] },
        { source, ours: ['pending'] },
      ]);
      expect(sim.gateOf(bench.at()).isMergeable).toBe(false);
      await write('success');
      expect(standing()).toEqual([
        { source: 'external', ours: ['success'] },
        { source, ours: ['success'] },
      ]);
      expect(sim.gateOf(bench.at()).isMergeable).toBe(true);
      const before = posts().length;
      await write('success');
      expect(posts()).toHaveLength(before);
    },
  );

  it('GL2: where the gate looks is told with the facts, and changes with the newer pipeline', async () => {
    expect((await facts())?.statusPlace).toBe('branch feature');
    await write('pending');
    expect((await facts())?.statusPlace).toBe('branch feature');
    const id = await run('push');
    expect((await facts())?.statusPlace).toBe(`pipeline ${id}`);
    const newer = await run('push');
    expect((await facts())?.statusPlace).toBe(`pipeline ${newer}`);
  });

  it('GL2: what stands elsewhere at the commit is told as such', async () => {
    await write('pending');
    await run('push');
    const { changeRequest, head, forge } = bench.world;
    const read = async () =>
      (await forge.read.fetchStatuses(changeRequest, head, signal)).map(
        ({ context, state, elsewhere = false }) => `${context} ${state} ${elsewhere}`,
      );
    expect(await read()).toEqual(['test success false', 'fixpoint pending true']);
    await write('success');
    expect(await read()).toEqual(['test success false', 'fixpoint success false', 'fixpoint success true']);
  });

  it('is finished by the next try when the first one was cut between two pipelines', async () => {
    await write('pending');
    await run('merge_request_event');
    fault({ method: 'POST', path: /\/statuses\// }, [{ kind: 'pass' }, { kind: 'reset' }]);
    await expect(write('failure')).rejects.toMatchObject({ code: 'FORGE_UNKNOWN_OUTCOME' });
    await write('failure');
    expect(standing()).toEqual([
      { source: 'external', ours: ['failed'] },
      { source: 'merge_request_event', ours: ['failed'] },
    ]);
  });

  it('GL3: is the one of merged results, whose commit is a trial merge', async () => {
    const { sim, project } = bench.world;
    const head = await runMerged();
    sim.setPipelinesMustSucceed(project, true);
    await write('pending', 1, head);
    expect(standing()).toEqual([{ source: 'merge_request_event', ours: ['pending'] }]);
    expect(sim.gateOf(bench.at()).ci).toBe('checking');
    await write('failure', 1, head);
    expect(sim.gateOf(bench.at()).ci).toBe('failed');
    await write('success', 1, head);
    expect(sim.gateOf(bench.at()).ci).toBe('success');
    expect(standing()).toEqual([{ source: 'merge_request_event', ours: ['failed', 'success'] }]);
  });

  it('GL3: the older trial merge of the same head ends too', async () => {
    const { sim, project } = bench.world;
    const head = await runMerged();
    await write('pending', 1, head);
    const { headPipeline } = sim.mergeRequestAt(bench.at());
    const older = headPipeline?.pipeline;
    const { login: as } = bench.world.author;
    const trial = await sim.commitFiles({ project, branch: 'trial', files: {}, message: 'x', author: as, onto: head });
    const ref = 'refs/merge-requests/1/merge';
    const made = {
      project,
      ref,
      as,
      source: 'merge_request_event',
      mergeRequest: bench.at(),
      sourceSha: head,
    } as const;
    await sim.addPipelineNow({ ...made, sha: trial, jobs: [{ name: 'test', state: 'success' }] });
    await write('success', 1, head);
    expect(older?.state).toBe('success');
  });

  it.each([
    ['in both pipelines of its branch', 'branch', ['external', 'push']],
    ['in its trial merge too', 'merged_result', ['external', 'merge_request_event']],
  ] as const)(
    'of a head that was left ends %s, and that of the newer head stays',
    async (_where, pipelines, sources) => {
      const { sim, project, author } = bench.world;
      const files = (content: string) => ({ 'new.txt': content });
      const as = { project, branch: 'feature', message: 'x', author: author.login };
      sim.setProjectCi(project, { pipelines, after: 'held', jobs: [{ name: 'test', state: 'running' }] });
      const older = await sim.commitFiles({ ...as, files: files('older\n') });
      await write('pending', 1, older);
      await sim.createPipelines(project);
      await write('pending', 1, older);
      const newer = await sim.commitFiles({ ...as, files: files('newer\n') });
      await sim.createPipelines(project);
      await write('pending', 1, newer);
      await write('error', 1, older);
      expect(standing()).toEqual([
        ...sources.map((source) => ({ source, ours: ['canceled'] })),
        { source: sources[1], ours: ['pending'] },
      ]);
    },
  );

  it('GL4: of another merge request of the same branch is left alone', async () => {
    const { sim, project, author, owner } = bench.world;
    const files = { 'x.txt': 'x\n' };
    await sim.commitFiles({ project, branch: 'release', files, message: 'x', author: owner.login });
    const wish = { project, sourceBranch: 'feature', targetBranch: 'release', title: 'Again', author: author.login };
    await sim.openMergeRequest(wish);
    await run('merge_request_event', 'success', 1);
    await run('merge_request_event', 'success', 2);
    for (const number of [1, 2]) await write('pending', number);
    await write('success', 1);
    expect(standing().map(({ ours }) => ours)).toEqual([['success'], ['pending']]);
    await write('error', 2);
    expect(standing().map(({ ours }) => ours)).toEqual([['success'], ['canceled']]);
  });

  it('GL4: of the branch is left alone while another merge request is merged by it', async () => {
    const { sim, project, author, owner } = bench.world;
    const files = { 'x.txt': 'x\n' };
    await sim.commitFiles({ project, branch: 'release', files, message: 'x', author: owner.login });
    await sim.openMergeRequest({
      project,
      sourceBranch: 'feature',
      targetBranch: 'release',
      title: 'Again',
      author: author.login,
    });
    await run('push');
    for (const number of [1, 2]) await write('pending', number);
    await run('merge_request_event', 'success', 1);
    await write('success', 1);
    expect(standing().map(({ ours }) => ours)).toEqual([['pending'], ['success']]);
    await sim.closeMergeRequest({ project, iid: 2, as: author.login });
    await write('failure', 1);
    expect(standing().map(({ ours }) => ours)).toEqual([['failed'], ['success', 'failed']]);
  });

  it.each([
    [403, 'protected'],
    [404, 'gone'],
    [422, 'full'],
  ] as const)('stays unset where GitLab answers %i, and no other pipeline gets it', async (status, why) => {
    await run('merge_request_event');
    fault({ method: 'POST', path: /\/statuses\// }, { kind: 'status', status });
    expect(await write('success')).toBe(why);
    expect(standing()).toEqual([{ source: 'merge_request_event', ours: [] }]);
    expect(bench.world.unset).toMatchObject([{ number: 1, why }]);
  });

  it('stays unset where a job of the project has its name', async () => {
    const { sim, project, author, head } = bench.world;
    const jobs = [{ name: 'fixpoint', state: 'success' }];
    await sim.addPipelineNow({ project, sha: head, ref: 'feature', as: author.login, jobs });
    expect(await write('failure')).toBe('name_taken');
    expect(await write('failure')).toBe('name_taken');
    expect(posts()).toHaveLength(1);
  });
});

describe('GL1: the status of a protected source branch', () => {
  const protect = (push: 0 | 30 | 40, merge: 0 | 30 | 40 = push) =>
    bench.world.sim.protectBranch({ project: bench.world.project, pattern: 'fea*', push, merge });

  it('makes no pipeline that nobody could end', async () => {
    protect(40);
    expect(await write('pending')).toBe('protected');
    expect(standing()).toEqual([]);
    expect(posts()).toEqual([]);
    expect(bench.world.unset).toMatchObject([{ number: 1, why: 'protected' }]);
  });

  it('asks a pipeline that is there once per head', async () => {
    protect(40);
    await run('push');
    for (const state of ['pending', 'success', 'failure'] as const) expect(await write(state)).toBe('protected');
    expect(posts()).toHaveLength(1);
    expect(standing()).toEqual([{ source: 'push', ours: [] }]);
  });

  it.each([
    ['developers may push', 30, 40],
    ['developers may merge', 40, 30],
  ] as const)('is set where %s', async (_what, push, merge) => {
    protect(push, merge);
    expect(await write('pending')).toBeNull();
    expect(standing()).toEqual([{ source: 'external', ours: ['pending'] }]);
  });

  it.each([
    [40, 40],
    [0, 40],
  ] as const)('is set by a maintainer (push %i, merge %i)', async (push, merge) => {
    protect(push, merge);
    bench.world.sim.addMember(bench.world.project, bench.world.bot.login, 40);
    expect(await write('pending')).toBeNull();
  });

  it('goes into the merge request’s own pipeline, which is not protected', async () => {
    protect(40);
    await run('push');
    expect(await write('pending')).toBe('protected');
    await run('merge_request_event');
    expect(await write('pending')).toBeNull();
  });
});

describe('the CI that is read', () => {
  it('GL5: is that of the head pipeline: newer and older ones do not cover it', async () => {
    await run('merge_request_event', 'failed');
    await run('push', 'success');
    await run('schedule', 'success');
    expect(await checks()).toEqual(['test failure']);
  });

  it('GL5: of a broken .gitlab-ci.yml has failed, also when our own status has turned its pipeline', async () => {
    const { sim, project, author, head } = bench.world;
    const id = await sim.addPipelineNow({
      project,
      sha: head,
      ref: 'feature',
      as: author.login,
      yamlErrors: 'no jobs',
    });
    expect(await checks()).toEqual([`pipeline #${id} failure`]);
    await write('success');
    expect(sim.mergeRequestAt(bench.at()).headPipeline?.pipeline.state).toBe('success');
    expect(await checks()).toEqual([`pipeline #${id} failure`]);
  });

  it.each(['success', 'failed', 'running'])('GL5: of a fork is read there (%s)', async (state) => {
    const { sim, project, outsider } = bench.world;
    await sim.forkProject(project, outsider.login);
    const fork = `${outsider.login}/shop`;
    const files = { 'idea.txt': 'x\n' };
    const sha = await sim.commitFiles({
      project: fork,
      branch: 'idea',
      files,
      message: 'idea',
      author: outsider.login,
    });
    const wish = { project, sourceProject: fork, sourceBranch: 'idea', title: 'Idea', author: outsider.login };
    const { iid } = await sim.openMergeRequest(wish);
    const jobs = [{ name: 'test', state }];
    await sim.addPipelineNow({ project: fork, sha, ref: 'idea', as: outsider.login, jobs });
    const of = {
      changeRequest: { ...bench.world.changeRequest, number: iid },
      head: CommitSha.parse(sha),
      targetBranch: 'main',
      botIds: new Set<number>(),
    };
    const read = async () => (await bench.world.forge.read.fetchChecks(of, signal)).statuses.map((one) => one.state);
    const expected = { success: 'success', failed: 'failure', running: 'pending' }[state];
    // The fork is private: its pipeline's state is all that is seen.
    expect(await read()).toEqual([expected]);
    sim.addMember(fork, bench.world.bot.login, 20);
    expect(await read()).toEqual([expected]);
  });

  it('GL3: of merged results is that of the trial merge, and its parents are asked for once', async () => {
    const head = await runMerged('failed');
    expect(await checks(head)).toEqual(['test failure']);
    expect(await checks(head)).toEqual(['test failure']);
    const asked = requests().filter(({ path }) => /\/repository\/commits\/[0-9a-f]{40}$/.test(path));
    expect(asked).toHaveLength(1);
  });

  it('a job that is called like our status counts as a job of the project', async () => {
    const { sim, project, author, head } = bench.world;
    const jobs = [{ name: 'fixpoint', state: 'failed' }];
    await sim.addPipelineNow({ project, sha: head, ref: 'feature', as: author.login, jobs });
    expect(await checks()).toEqual(['job fixpoint failure']);
  });
});
