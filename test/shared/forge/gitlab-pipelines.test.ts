/** Into which pipeline of a merge request a status goes. */
import { describe, expect, it } from 'vitest';
import { newestForHead } from '../../../shared/forge/gitlab/pipelines.ts';
import type { StatusState } from '../../../shared/forge/port-statuses.ts';
import { CommitSha } from '../../../shared/rounds/vocabulary.ts';
import { signal } from './conformance-bench.ts';
import { useGitlab } from './gitlab-bench.ts';

const bench = useGitlab();
const { fault, requests } = bench;

const MR_REF = 'refs/merge-requests/1/head';

const write = (state: StatusState) =>
  bench.world.forge.write.writeStatus(
    bench.world.changeRequest,
    { head: bench.world.head, sourceBranch: 'feature', state, context: 'fixpoint', description: '', targetUrl: null },
    signal,
  );
const run = (source: 'push' | 'merge_request_event', sha: string = bench.world.head) => {
  const { sim, project, author } = bench.world;
  const ref = source === 'push' ? 'feature' : MR_REF;
  return sim.runPipeline({ project, sha, ref, source, status: 'success', as: author.login });
};
/** What stands in each pipeline, oldest first. */
const standing = () => {
  const mr = bench.world.sim.mergeRequestAt(bench.at());
  return mr.project.pipelines.map(({ source, id }) => ({
    source,
    ours: mr.project.statuses.filter(({ pipeline }) => pipeline.id === id).map(({ state }) => state),
  }));
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
    await run('push');
    await run('merge_request_event');
    for (const state of ['pending', 'success'] as const) await write(state);
    expect(standing()).toEqual([
      { source: 'push', ours: [] },
      { source: 'merge_request_event', ours: ['success'] },
    ]);
  });

  it('is the merge request’s also when that began later, and the other one does not wait for ever', async () => {
    await write('pending');
    await run('merge_request_event');
    await write('success');
    expect(standing()).toEqual([
      { source: 'external', ours: ['success'] },
      { source: 'merge_request_event', ours: ['success'] },
    ]);
    const from = requests().length;
    await write('success');
    expect(
      requests()
        .slice(from)
        .filter(({ method }) => method === 'POST'),
    ).toEqual([]);
  });

  it('is finished by the next try when the first one was cut between two pipelines', async () => {
    await write('pending');
    await run('merge_request_event');
    fault({ method: 'POST', path: /\/statuses\// }, [
      { kind: 'pass' },
      { kind: 'status', status: 403 },
      { kind: 'reset' },
    ]);
    await expect(write('failure')).rejects.toMatchObject({ code: 'FORGE_UNKNOWN_OUTCOME' });
    await write('failure');
    expect(standing()).toEqual([
      { source: 'external', ours: ['failed'] },
      { source: 'merge_request_event', ours: ['failed'] },
    ]);
  });

  it('is not one of another commit, such as that of merged results', async () => {
    const { sim, project, owner } = bench.world;
    const files = { 'x.txt': 'x\n' };
    const other = await sim.commitFiles({ project, branch: 'other', files, message: 'x', author: owner.login });
    await run('merge_request_event', other);
    await write('success');
    expect(standing()).toEqual([
      { source: 'merge_request_event', ours: [] },
      { source: 'external', ours: ['success'] },
    ]);
  });

  it.each([403, 404])('is the branch’s when the account may not touch the merge request’s (%i)', async (status) => {
    await run('merge_request_event');
    fault({ method: 'POST', path: /\/statuses\// }, { kind: 'status', status });
    await write('success');
    expect(standing()).toEqual([
      { source: 'merge_request_event', ours: [] },
      { source: 'external', ours: ['success'] },
    ]);
    expect(bench.world.unset).toEqual([]);
  });

  it.each([403, 404])('is the branch’s when the project does not show its pipelines (%i)', async (status) => {
    fault({ method: 'GET', path: /\/pipelines/ }, { kind: 'status', status });
    await write('success');
    expect(standing()).toEqual([{ source: 'external', ours: ['success'] }]);
  });

  it('is the newest of several', () => {
    const [head, other] = ['a', 'b'].map((letter) => CommitSha.parse(letter.repeat(40)));
    if (head === undefined || other === undefined) throw new Error('there are two');
    const of = (id: number, sha: string, source: string | null) => ({ id, sha, source });
    const all = [of(3, head, 'merge_request_event'), of(9, head, 'push'), of(5, head, 'merge_request_event')];
    expect(newestForHead([...all, of(8, other, 'merge_request_event'), of(7, head, null)], head)).toBe(5);
    expect(newestForHead([of(1, head, 'push')], head)).toBeNull();
  });
});
