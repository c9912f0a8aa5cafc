/** What GitLab answers to approvals and requests for changes, and what that comes to. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ForgeVerdict } from '../../../shared/vocabulary/forge-verdict.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { failureOf, signal, text } from './conformance-bench.ts';
import { useGitlab } from './gitlab-bench.ts';
import { type GitlabHall, type GitlabWorld, startGitlabHall } from './gitlab-world.ts';

const bench = useGitlab();
const { fault, requests } = bench;

const giveIn = ({ forge, changeRequest, head }: GitlabWorld, verdict: ForgeVerdict, sha = head) =>
  forge.write.giveVerdict(changeRequest, { verdict, head: sha, body: text('words') }, signal);
const give = (verdict: ForgeVerdict, sha?: CommitSha) => giveIn(bench.world, verdict, sha);
const approvals = () => requests().filter(({ path }) => path.endsWith('/approve'));

describe('an approval on GitLab', () => {
  it('names the head that was reviewed, and of another one is refused', async () => {
    expect(await give('approved', CommitSha.parse('f'.repeat(40)))).toBe('head_moved');
    expect(bench.world.decided()).toEqual([]);
    expect(await give('approved')).toBeNull();
    expect(JSON.parse(approvals().at(-1)?.body ?? '{}')).toEqual({ sha: bench.world.head });
  });

  it('that stands already is answered with 401, and is done', async () => {
    await give('approved');
    expect(await give('approved')).toBeNull();
    expect(approvals().map(({ status }) => status)).toEqual([201, 401]);
  });

  it('of what is merged is answered with 401 too, and is refused', async () => {
    await bench.world.sim.mergeMergeRequest({ ...bench.at(), as: bench.world.owner.login });
    expect(await give('approved')).toBe('forbidden');
  });

  it('by whoever may not give one is refused', async () => {
    fault({ method: 'POST', path: /\/approve$/ }, { kind: 'status', status: 403 });
    expect(await give('approved')).toBe('forbidden');
  });

  it('with a token that is not accepted is a failure, not a refusal', async () => {
    const { stranger, changeRequest, head } = bench.world;
    const given = { verdict: 'approved', head, body: text('words') } as const;
    const error = await failureOf(stranger.write.giveVerdict(changeRequest, given, signal));
    expect(error.code).toBe('FORGE_UNAUTHORISED');
  });

  it('waits until a push is digested, which would take it away again, and not for ever', async () => {
    const busy = JSON.stringify({ detailed_merge_status: 'approvals_syncing' });
    const facts = { method: 'GET', path: /\/merge_requests\/1$/ };
    fault({ ...facts, times: 2 }, { kind: 'status', status: 200, body: busy });
    expect(await give('approved')).toBeNull();
    expect(bench.world.slept()).toEqual([1_000, 1_000]);
    fault({ ...facts, times: 50 }, { kind: 'status', status: 200, body: busy });
    await give('approved');
    expect(bench.world.slept()).toHaveLength(7);
  });
});

describe('a request for changes on GitLab', () => {
  it('by a bot that is no reviewer is not sent, since it would be recorded all the same', async () => {
    expect(await give('changes_requested')).toBe('not_a_reviewer');
    expect(bench.world.decided()).toEqual([]);
    expect(bench.world.sim.mergeRequestAt(bench.at()).notes).toEqual([]);
  });

  it('that GitLab does not take is refused', async () => {
    await bench.world.people.askBot();
    const body = JSON.stringify({ data: { mergeRequestRequestChanges: { errors: ['Invalid permissions'] } } });
    fault({ method: 'POST', path: 'graphql' }, { kind: 'status', status: 200, body });
    expect(await give('changes_requested')).toBe('forbidden');
  });

  it('takes an approval away, as GitLab has it', async () => {
    await bench.world.people.askBot();
    await give('approved');
    expect(await give('changes_requested')).toBeNull();
    expect(bench.world.decided()).toEqual([{ by: bench.world.bot.login, verdict: 'changes_requested' }]);
  });
});

describe('an approval after a push on GitLab', () => {
  it('GL11: waits until the reset that the push causes is over, and stands', async () => {
    const { world } = bench;
    const head = await world.people.push();
    // The client's sleep is that of a manual clock: the time of the forge passes here.
    fault({ method: 'GET', path: /\/versions/ }, { kind: 'meanwhile', task: async () => world.tick(15_000) });
    expect(await giveIn(world, 'approved', head)).toBeNull();
    expect(world.slept()).toEqual([15_000]);
    world.tick(15_000);
    await bench.comments();
    expect(world.decided()).toEqual([{ by: world.bot.login, verdict: 'approved' }]);
  });

  it.each([
    ['that was made long ago', 60_000, []],
    ['that was made four seconds ago', 4_000, [11_000]],
    ['that a forge with a fast clock has not made yet', -3_600_000, [15_000]],
  ])('GL11: of a push %s waits no longer than needed', async (_when, ageMs, slept) => {
    const { world } = bench;
    const head = await world.people.push();
    const body = JSON.stringify(
      [0, 1].map((each) => ({ created_at: new Date(world.clock.nowMs() - ageMs - each).toISOString() })),
    );
    fault({ method: 'GET', path: /\/versions/ }, { kind: 'status', status: 200, body });
    world.tick(20_000);
    expect(await giveIn(world, 'approved', head)).toBeNull();
    expect(world.slept()).toEqual(slept);
  });
});

const requestedBy = () => bench.world.sim.mergeRequestAt(bench.at()).requestedChanges.size;

describe('a request for changes that GitLab has recorded', () => {
  const own = () => bench.world.forge.write.fetchOwnVerdict(bench.world.changeRequest, signal);
  const withdraw = () =>
    bench.world.forge.write.withdrawVerdicts(bench.world.changeRequest, ['changes_requested'], signal);
  const { changeRequest } = { changeRequest: () => bench.at() };

  it.each([
    [
      'the author has asked for another review',
      () => {
        const { sim, author, bot } = bench.world;
        return sim.reRequest({ ...changeRequest(), as: author.login, reviewer: bot.login });
      },
    ],
    [
      'a review with two comments was started',
      () => bench.review([bench.on('added', 'one'), bench.on('removed', 'two')]),
    ],
    [
      'the bot is no reviewer any more',
      () => {
        const { sim, author } = bench.world;
        return sim.editMergeRequest({ ...changeRequest(), as: author.login, reviewers: [] });
      },
    ],
  ])('GL6: is seen and taken back although %s', async (_why, happen) => {
    await bench.world.people.askBot();
    expect(await give('changes_requested')).toBeNull();
    await happen();
    expect(await own()).toMatchObject({ verdict: 'changes_requested' });
    expect(await withdraw()).toBeNull();
    expect(requestedBy()).toBe(0);
    expect(await own()).toBeNull();
  });

  it('GL6: that somebody has removed in between counts as taken back', async () => {
    await bench.world.people.askBot();
    await give('changes_requested');
    bench.world.sim.mergeRequestAt(bench.at()).requestedChanges.clear();
    expect(await withdraw()).toBeNull();
  });

  it('GL6: that stays although it was to be taken back is said', async () => {
    await bench.world.people.askBot();
    await give('changes_requested');
    const errors = ['Invalid permissions'];
    const body = JSON.stringify({ data: { mergeRequestDestroyRequestedChanges: { errors } } });
    fault({ method: 'POST', path: 'graphql' }, { kind: 'status', status: 200, body });
    expect(await withdraw()).toBe('forbidden');
  });

  it('GL11: is made by the thirtieth of thirty reviewers', async () => {
    const { sim, author, bot } = bench.world;
    const others = Array.from({ length: 29 }, (_, index) => sim.createUser({ login: `reviewer-${index}` }).login);
    await sim.editMergeRequest({ ...bench.at(), as: author.login, reviewers: [...others, bot.login] });
    expect(await give('changes_requested')).toBeNull();
    expect(requestedBy()).toBe(1);
  });
});

describe('an Enterprise Edition without a licence', () => {
  it('GL7: is not asked for changes, since it would never take the request back', async () => {
    const { world } = bench;
    world.sim.world.projects.forEach((project) => {
      project.premium = false;
    });
    await world.people.askBot();
    expect(await give('changes_requested')).toBe('not_offered');
    expect(requestedBy()).toBe(0);
    expect(world.sim.mergeRequestAt(bench.at()).notes.map(({ body }) => body)).not.toContain('requested changes');
    expect(
      await world.forge.write.withdrawVerdicts(world.changeRequest, ['approved', 'changes_requested'], signal),
    ).toBeNull();
  });
});

describe('a GitLab that cannot take a request for changes back', () => {
  const halls: GitlabHall[] = [];
  afterEach(async () => {
    await Promise.all(halls.splice(0).map((hall) => hall.close()));
  });

  it('is never asked for one, and still approves', async () => {
    const hall = await startGitlabHall({ edition: 'ce' });
    halls.push(hall);
    const world = await hall.open();
    await world.people.askBot();
    expect(await giveIn(world, 'changes_requested')).toBe('not_offered');
    expect(world.decided()).toEqual([]);
    expect(await giveIn(world, 'approved')).toBeNull();
    expect(world.decided()).toEqual([{ by: world.bot.login, verdict: 'approved' }]);
    expect(world.violations()).toEqual([]);
  });
});
