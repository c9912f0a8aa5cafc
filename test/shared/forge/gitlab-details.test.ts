/** What only GitLab does, and what only its adapter has to know. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ForgeUnknownOutcomeError, InlineRefusedError } from '../../../shared/forge/errors.ts';
import type { OutgoingInline, OutgoingStatus } from '../../../shared/forge/port.ts';
import type { Fault } from '../../sim/forgejo/faults.ts';
import { failureOf, signal, text } from './conformance-bench.ts';
import { type GitlabHall, type GitlabWorld, startGitlabHall } from './gitlab-world.ts';

let hall: Promise<GitlabHall> | null = null;
let world: GitlabWorld;
let from = 0;
const faults: Fault[] = [];

beforeEach(async () => {
  hall ??= startGitlabHall();
  world = await (await hall).open();
  from = world.sim.requests.length;
});
afterEach(async () => {
  const violations = [...world.violations()];
  for (const fault of faults.splice(0)) fault.remove();
  await world.close();
  if (violations.length > 0) throw new Error(`a real GitLab would not have understood: ${violations.join('; ')}`);
});
afterAll(async () => {
  await (await hall)?.close();
});

const fault = (...args: Parameters<GitlabWorld['sim']['fault']>) => void faults.push(world.sim.fault(...args));
const at = () => ({ project: world.project, iid: 1 });
const comments = () => world.forge.read.fetchComments(world.changeRequest, signal);
const bodies = async () => (await comments()).map(({ body }) => body);
const on = (where: keyof GitlabWorld['positions'], body: string): OutgoingInline => ({
  position: world.positions[where],
  body: text(body),
});
const review = (inline: readonly OutgoingInline[], head = world.head) =>
  world.forge.write.submitReview(
    world.changeRequest,
    { head, base: world.base, targetHead: world.base, body: text('summary'), comments: inline },
    signal,
  );
/** Requests of the bot since the test began, writes only, without ids. */
const written = (): readonly string[] =>
  world.sim.requests
    .slice(from)
    .filter(({ method, user }) => method !== 'GET' && user === world.bot.login)
    .map(({ method, path }) => `${method} ${path.replace(/^.*\/merge_requests\/1/, '').replace(/\/\d+/g, '/N')}`);
const bodiesSent = (path: RegExp): readonly unknown[] =>
  world.sim.requests
    .slice(from)
    .filter((request) => request.method === 'POST' && path.test(request.path) && request.user === world.bot.login)
    .map(({ body }) => JSON.parse(body) as unknown);

describe('comments on GitLab', () => {
  it('leave out what the forge says itself and what is internal, answers included', async () => {
    await world.people.retitle('Another title');
    await world.sim.comment({ ...at(), as: world.author.login, body: 'between us', internal: true });
    await world.people.comment(world.author, 'for all');
    const notes = world.sim.mergeRequestAt(at()).notes;
    expect(notes.filter(({ system }) => system).length).toBeGreaterThan(0);
    expect(notes.filter(({ internal }) => internal)).toHaveLength(1);
    expect(await bodies()).toEqual(['for all']);
  });

  it('of an account that is gone belong to nobody', async () => {
    await world.people.comment(world.reader, 'farewell');
    await world.people.deleteAccount(world.reader);
    expect((await comments()).map(({ author }) => author)).toEqual([null]);
  });

  it('have a page of their own', async () => {
    await world.people.comment(world.author, 'here');
    const [comment] = await comments();
    expect(comment?.webUrl).toBe(`${world.sim.url}/${world.project}/-/merge_requests/1#note_${comment?.id}`);
  });

  it('in a thread about the whole can be answered there, plain ones cannot', async () => {
    const threadId = await world.sim.startDiscussion({ ...at(), as: world.author.login, body: 'a question' });
    await world.people.comment(world.author, 'a remark');
    expect((await comments()).map(({ kind, threadId: id, resolved }) => [kind, id, resolved])).toEqual([
      ['conversation', threadId, false],
      ['conversation', null, null],
    ]);
    await world.forge.threads?.reply(world.changeRequest, threadId, text('an answer'), signal);
    expect((await comments()).find(({ body }) => body === 'an answer')?.threadId).toBe(threadId);
  });

  it('are all found, however many there are', async () => {
    for (let index = 0; index < 350; index += 1)
      await world.sim.comment({ ...at(), as: world.author.login, body: `remark ${index}` });
    await world.forge.write.createComment(world.changeRequest, text('mine'), signal);
    const found = await bodies();
    expect(found).toHaveLength(351);
    expect(found.at(-1)).toBe('mine');
    expect(world.sim.requests.slice(from).filter(({ path }) => path.includes('/discussions'))).toHaveLength(4);
  });

  it('of nothing but commands are an alarm, and never sent again', async () => {
    const error = await failureOf(world.forge.write.createComment(world.changeRequest, text('/draft'), signal));
    expect([error.code, error.disposition]).toEqual(['FORGE_COMMANDS_ONLY', { kind: 'fail' }]);
    expect(written()).toEqual(['POST /notes']);
    expect(await bodies()).toEqual([]);
  });
});

describe('an answer on GitLab', () => {
  it('leaves a resolved thread resolved', async () => {
    await review([on('added', 'a finding')]);
    const threadId = (await comments())[0]?.threadId ?? '';
    await world.forge.resolving?.resolveThread(world.changeRequest, threadId, signal);
    await world.forge.threads?.reply(world.changeRequest, threadId, text('thanks'), signal);
    expect((await comments()).map(({ body, resolved }) => [body, resolved])).toEqual([
      ['a finding', true],
      ['thanks', true],
    ]);
  });
});

describe('a review on GitLab', () => {
  it('of several comments is published in one go', async () => {
    await review([on('added', 'one'), on('removed', 'two'), on('range', 'three')]);
    expect(written()).toEqual([
      'POST /draft_notes',
      'POST /draft_notes',
      'POST /draft_notes',
      'POST /draft_notes/bulk_publish',
    ]);
    expect((await bodies()).toSorted()).toEqual(['one', 'three', 'two']);
  });

  it('of one comment is one thread', async () => {
    await review([on('added', 'one')]);
    expect(written()).toEqual(['POST /discussions']);
  });

  it('names the commits of the version, both lines of a context line and one of any other', async () => {
    await review([on('added', 'one'), on('range', 'two')]);
    const commits = { base_sha: world.base, start_sha: world.base, head_sha: world.head };
    const place = { ...commits, position_type: 'text', old_path: 'app.txt', new_path: 'app.txt' };
    expect(bodiesSent(/draft_notes$/)).toEqual([
      { note: 'one', position: { ...place, new_line: 5 } },
      { note: 'two', position: { ...place, new_line: 27, line_range: expect.any(Object) } },
    ]);
  });

  it('refuses a draft that would vanish when it is published, and leaves no draft behind', async () => {
    const refused = await failureOf(review([on('added', 'good'), on('nowhere', 'bad')]));
    expect(refused).toMatchObject({ code: 'FORGE_INLINE_REFUSED', index: 1 });
    expect(world.sim.mergeRequestAt(at()).drafts).toEqual([]);
    expect(written().filter((request) => request.includes('publish'))).toEqual([]);
  });

  it.each([1, 2])('tries the last line when a range is refused, in a review of %i', async (count) => {
    const path = count === 1 ? /\/discussions$/ : /\/draft_notes$/;
    fault({ method: 'POST', path, body: /line_range/ }, { kind: 'status', status: 400 });
    await review([on('range', 'one'), on('added', 'two')].slice(0, count));
    const found = (await comments()).find(({ body }) => body === 'one');
    expect(found?.place).toEqual({ path: 'app.txt', side: 'new', line: 27 });
    expect(bodiesSent(path)).toHaveLength(count + 1);
  });

  it('clears away what a broken attempt left of the same comments', async () => {
    fault({ method: 'POST', path: /bulk_publish/ }, { kind: 'reset' });
    expect(await failureOf(review([on('added', 'one'), on('range', 'two')]))).toBeInstanceOf(ForgeUnknownOutcomeError);
    expect(world.sim.mergeRequestAt(at()).drafts).toHaveLength(2);
    await review([on('added', 'one'), on('range', 'two')]);
    expect(await bodies()).toEqual(['one', 'two']);
    expect(world.sim.mergeRequestAt(at()).drafts).toEqual([]);
    expect(written().filter((request) => request.includes('publish'))).toHaveLength(2);
  });

  it('publishes only its own drafts when another appears meanwhile', async () => {
    const appears = { kind: 'meanwhile', task: () => world.people.startDraft(world.bot, 5, 'by hand') } as const;
    fault({ method: 'POST', path: /draft_notes$/, body: /"one"/, user: world.bot.login }, appears);
    await review([on('added', 'one'), on('range', 'two')]);
    expect((await bodies()).toSorted()).toEqual(['one', 'two']);
    expect(world.sim.mergeRequestAt(at()).drafts.map(({ note }) => note)).toEqual(['by hand']);
  });

  it('says that some stand when one of several single threads is refused', async () => {
    await world.people.startDraft(world.bot, 5, 'by hand');
    const posting = review([on('added', 'one'), on('nowhere', 'two'), on('range', 'three')]);
    const error = await failureOf(posting);
    expect(error).toBeInstanceOf(ForgeUnknownOutcomeError);
    expect(error.fields).toMatchObject({ reason: 'partly_refused', published: 2 });
    expect((await bodies()).toSorted()).toEqual(['one', 'three']);
    const again = await failureOf(review([on('nowhere', 'two')]));
    expect(again).toBeInstanceOf(InlineRefusedError);
    expect(again).toMatchObject({ index: 0 });
  });

  it('waits until the diff of the head is prepared', async () => {
    world.sim.setPrepareDelay(60_000);
    const head = await world.people.push();
    world.sim.setPrepareDelay(0);
    await review([on('added', 'one'), on('range', 'two')], head);
    expect((await bodies()).toSorted()).toEqual(['one', 'two']);
  });

  it('goes back to the queue when the diff of the head is never prepared', async () => {
    const error = await failureOf(review([on('added', 'one')], 'f'.repeat(40) as typeof world.head));
    expect([error.code, error.disposition, error.fields['reason']]).toEqual([
      'FORGE_UNAVAILABLE',
      { kind: 'retry' },
      'not_prepared',
    ]);
    expect(world.slept()).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    expect(await bodies()).toEqual([]);
  });

  it('of an older head lands on that one', async () => {
    await world.people.push();
    await review([on('added', 'one'), on('range', 'two')]);
    expect((await bodies()).toSorted()).toEqual(['one', 'two']);
  });
});

describe('a change request on GitLab', () => {
  it('has its facts before it is prepared', async () => {
    world.sim.setPrepareDelay(600_000);
    const [number] = await world.people.openMore(1);
    world.sim.setPrepareDelay(0);
    const facts = await world.forge.read.fetchChangeRequest({ ...world.changeRequest, number: number ?? 0 }, signal);
    expect(world.sim.mergeRequestAt({ ...at(), iid: number ?? 0 }).versions).toEqual([]);
    expect(facts).toMatchObject({ state: 'open', targetHead: world.base, sourceBranch: 'more-1' });
  });

  it('from a fork says so, and so does one whose fork is gone', async () => {
    const { sim, project } = world;
    await sim.forkProject(project, world.outsider.login);
    const fork = `${world.outsider.login}/shop`;
    await sim.commitFiles({
      project: fork,
      branch: 'idea',
      files: { 'idea.txt': 'x\n' },
      message: 'idea',
      author: world.outsider.login,
    });
    const wish = { project, sourceProject: fork, sourceBranch: 'idea', title: 'Idea', author: world.outsider.login };
    const { iid } = await sim.openMergeRequest(wish);
    const of = { ...world.changeRequest, number: iid };
    expect(await world.forge.read.fetchChangeRequest(of, signal)).toMatchObject({ fromFork: true });
    await sim.deleteProject(fork);
    expect(await world.forge.read.fetchChangeRequest(of, signal)).toMatchObject({ fromFork: true, state: 'open' });
  });

  it('tells its labels and reviewers', async () => {
    const edit = { labels: ['bug'], reviewers: [world.bot.login] };
    await world.sim.editMergeRequest({ ...at(), as: world.author.login, ...edit });
    expect(await world.forge.read.fetchChangeRequest(world.changeRequest, signal)).toMatchObject({
      labels: ['bug'],
      reviewers: [world.bot],
    });
  });
});

describe('a status on GitLab', () => {
  const status = (state: OutgoingStatus['state'], more: Partial<OutgoingStatus> = {}): OutgoingStatus => ({
    head: world.head,
    sourceBranch: 'feature',
    state,
    context: 'fixpoint',
    description: 'in words',
    targetUrl: null,
    ...more,
  });
  const write = (outgoing: OutgoingStatus, number = 1) =>
    world.forge.write.writeStatus({ ...world.changeRequest, number }, outgoing, signal);
  const sent = () => world.sim.requests.slice(from).filter(({ method }) => method === 'POST');
  const read = () => world.forge.read.fetchStatuses(world.changeRequest.projectId, world.head, signal);

  it('is not said twice', async () => {
    for (const state of ['pending', 'pending', 'success', 'success'] as const) await write(status(state));
    expect(sent()).toHaveLength(2);
    expect(await read()).toMatchObject([{ state: 'success' }]);
  });

  it('waits with other words until something ends', async () => {
    await write(status('pending'));
    await write(status('pending', { description: 'in other words' }));
    expect(sent()).toHaveLength(1);
  });

  it('says new words about an end', async () => {
    await write(status('success'));
    await write(status('success', { description: 'in other words' }));
    expect(await read()).toMatchObject([{ state: 'success', description: 'in other words' }]);
  });

  it('counts as said when somebody else said it in between', async () => {
    const elsewhere = () =>
      world.sim.setStatus({
        project: world.project,
        sha: world.head,
        ref: 'feature',
        name: 'fixpoint',
        state: 'pending',
        as: world.bot.login,
      });
    fault({ method: 'POST', path: /statuses/ }, { kind: 'meanwhile', task: elsewhere });
    await write(status('pending'));
    expect(await read()).toMatchObject([{ state: 'pending' }]);
  });

  it('waits a little for another update of the same pipeline', async () => {
    fault({ method: 'POST', path: /statuses/, times: 2 }, { kind: 'status', status: 409 });
    await write(status('success'));
    expect(await read()).toMatchObject([{ state: 'success' }]);
    expect(world.slept()).toEqual([125, 250]);
  });

  it('gives up on a lock that stays', async () => {
    fault({ method: 'POST', path: /statuses/, times: 9 }, { kind: 'status', status: 409 });
    expect((await failureOf(write(status('success')))).code).toBe('FORGE_REJECTED');
    expect(sent()).toHaveLength(4);
  });

  it('stays unset where the head lies in a fork, and nothing fails', async () => {
    const { sim, project } = world;
    await sim.forkProject(project, world.outsider.login);
    const fork = `${world.outsider.login}/shop`;
    const files = { 'idea.txt': 'x\n' };
    const author = world.outsider.login;
    const head = await sim.commitFiles({ project: fork, branch: 'idea', files, message: 'idea', author });
    const wish = { project, sourceProject: fork, sourceBranch: 'idea', title: 'Idea', author };
    const { iid } = await sim.openMergeRequest(wish);
    await write(status('success', { head: head as typeof world.head, sourceBranch: 'idea' }), iid);
    expect(world.unset).toEqual([{ projectId: world.changeRequest.projectId, number: iid, head }]);
    expect(sent()).toEqual([]);
  });

  it('stays unset for a head that no branch has any more', async () => {
    fault({ method: 'POST', path: /statuses/ }, { kind: 'status', status: 404 });
    await write(status('success'));
    expect(world.unset).toEqual([{ projectId: world.changeRequest.projectId, number: 1, head: world.head }]);
  });
});

describe('people on GitLab', () => {
  it('have the rights of the groups above', async () => {
    const ask = (account: typeof world.owner) =>
      world.forge.read.fetchPermission(world.changeRequest.projectId, account, signal);
    expect(await Promise.all([world.owner, world.author].map(ask))).toEqual(['admin', 'write']);
  });

  it('keep them under another name', async () => {
    world.sim.renameUser(world.author.login, 'somebody-else');
    const asked = world.forge.read.fetchPermission(world.changeRequest.projectId, world.author, signal);
    expect(await asked).toBe('write');
  });
});
