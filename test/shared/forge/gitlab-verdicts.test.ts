/** What GitLab answers to approvals and requests for changes, and what that comes to. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ForgeVerdict } from '../../../shared/rounds/forge-verdict.ts';
import { CommitSha } from '../../../shared/rounds/vocabulary.ts';
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
    // What is offered is asked once.
    expect(await give('changes_requested')).toBeNull();
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
