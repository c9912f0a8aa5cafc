/** What CI says about a change, wherever the forge attaches it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Flavour } from '../../sim/forgejo/traits.ts';
import { type ForgejoHall, startForgejoHall } from './forgejo-world.ts';

const signal = new AbortController().signal;

const openOn = async (hall: ForgejoHall) => {
  const world = await hall.open();
  const { sim, projectPath: repo, author } = world;
  const { headSha, baseRef } = sim.pullAt({ repo, number: 1 });
  return {
    sim,
    status: (context: string, state: string, workflow = '') =>
      sim.setStatus({ repo, sha: headSha, context, state, workflow, as: author.login }),
    run: (workflow: string, event: string, status: string) =>
      sim.setActionRun({ repo, sha: headSha, workflow, event, status }),
    require: (contexts: readonly string[]) => sim.requireContexts({ repo, branch: baseRef, contexts }),
    read: async () => {
      const { changeRequest } = world;
      const of = { changeRequest, head: headSha as CommitSha, targetBranch: baseRef, botIds: new Set<number>() };
      const { statuses, required } = await world.forge.read.fetchChecks(of, signal);
      return { statuses: statuses.map(({ context, state }) => `${context}: ${state}`).toSorted(), required };
    },
  };
};

describe.each<Flavour>(['forgejo-15', 'forgejo-16', 'gitea-1.26', 'gitea-1.27'])('CI on %s', (flavour) => {
  let hall: ForgejoHall;
  beforeAll(async () => {
    hall = await startForgejoHall(flavour);
  });
  afterAll(async () => hall.close());

  it('is read whole, the newest of each context, however many there are', async () => {
    const change = await openOn(hall);
    for (let job = 1; job <= 60; job += 1) await change.status(`job ${job}`, 'failure');
    for (let job = 1; job <= 60; job += 1) await change.status(`job ${job}`, 'success');
    const { statuses } = await change.read();
    expect(statuses).toHaveLength(60);
    expect(statuses.every((each) => each.endsWith(': success'))).toBe(true);
  });

  it('has the runs that have not ended, of the events that belong to a change', async () => {
    const change = await openOn(hall);
    await change.status('ci / build (pull_request)', 'success');
    change.run('ci.yml', 'pull_request', 'running');
    change.run('target.yml', 'pull_request_target', 'blocked');
    change.run('done.yml', 'pull_request', 'success');
    change.run('failed.yml', 'push', 'failure');
    change.run('nightly.yml', 'schedule', 'running');
    expect((await change.read()).statuses).toEqual([
      'ci / build (pull_request): success',
      expect.stringMatching(/^ci\.yml \(pull_request, run \d+\): pending$/),
      expect.stringMatching(/^target\.yml \(pull_request_target, run \d+\): pending$/),
    ]);
  });

  it('has what the rule of the target branch requires', async () => {
    const change = await openOn(hall);
    expect((await change.read()).required).toEqual([]);
    change.require(['ci / *', 'fixpoint']);
    expect((await change.read()).required).toEqual(['ci / *', 'fixpoint']);
  });
});

describe('CI on Gitea 1.27', () => {
  let hall: ForgejoHall;
  beforeAll(async () => {
    hall = await startForgejoHall('gitea-1.27');
  });
  afterAll(async () => hall.close());

  it('is not hidden by another workflow of the same name', async () => {
    const change = await openOn(hall);
    await change.status('ci / test (pull_request)', 'failure', 'one.yml');
    await change.status('ci / test (pull_request)', 'success', 'two.yml');
    expect((await change.read()).statuses).toEqual([
      'ci / test (pull_request): failure',
      'ci / test (pull_request): success',
    ]);
  });
});
