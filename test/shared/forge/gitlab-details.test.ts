/** What only GitLab does, and what only its adapter has to know. */
import { describe, expect, it } from 'vitest';
import type { OutgoingStatus } from '../../../shared/forge/port-statuses.ts';
import { failureOf, signal, text } from './conformance-bench.ts';
import { useGitlab } from './gitlab-bench.ts';

const bench = useGitlab();
const { at, fault, comments, bodies, on, review, requests, written } = bench;

describe('comments on GitLab', () => {
  it('leave out what the forge says itself and what is internal, answers included', async () => {
    await bench.world.people.retitle('Another title');
    await bench.world.sim.comment({ ...at(), as: bench.world.author.login, body: 'between us', internal: true });
    await bench.world.people.comment(bench.world.author, 'for all');
    const notes = bench.world.sim.mergeRequestAt(at()).notes;
    expect(notes.filter(({ system }) => system).length).toBeGreaterThan(0);
    expect(notes.filter(({ internal }) => internal)).toHaveLength(1);
    expect(await bodies()).toEqual(['for all']);
  });

  it('of an account that is gone belong to nobody', async () => {
    await bench.world.people.comment(bench.world.reader, 'farewell');
    await bench.world.people.deleteAccount(bench.world.reader);
    expect((await comments()).map(({ author }) => author)).toEqual([null]);
  });

  it('have a page of their own', async () => {
    await bench.world.people.comment(bench.world.author, 'here');
    const [comment] = await comments();
    expect(comment?.webUrl).toBe(
      `${bench.world.sim.url}/${bench.world.project}/-/merge_requests/1#note_${comment?.id}`,
    );
  });

  it('in a thread about the whole can be answered there, plain ones cannot', async () => {
    const threadId = await bench.world.sim.startDiscussion({
      ...at(),
      as: bench.world.author.login,
      body: 'a question',
    });
    await bench.world.people.comment(bench.world.author, 'a remark');
    expect((await comments()).map(({ kind, threadId: id, resolved }) => [kind, id, resolved])).toEqual([
      ['conversation', threadId, false],
      ['conversation', null, null],
    ]);
    await bench.world.forge.threads?.reply(bench.world.changeRequest, threadId, text('an answer'), signal);
    expect((await comments()).find(({ body }) => body === 'an answer')?.threadId).toBe(threadId);
  });

  it('are all found, however many there are', async () => {
    for (let index = 0; index < 350; index += 1)
      await bench.world.sim.comment({ ...at(), as: bench.world.author.login, body: `remark ${index}` });
    await bench.world.forge.write.createComment(bench.world.changeRequest, text('mine'), signal);
    const found = await bodies();
    expect(found).toHaveLength(351);
    expect(found.at(-1)).toBe('mine');
    expect(requests().filter(({ path }) => path.includes('/discussions'))).toHaveLength(4);
  });

  it('of nothing but commands are an alarm, and never sent again', async () => {
    const error = await failureOf(
      bench.world.forge.write.createComment(bench.world.changeRequest, text('/draft'), signal),
    );
    expect([error.code, error.disposition]).toEqual(['FORGE_COMMANDS_ONLY', { kind: 'fail' }]);
    expect(written()).toEqual(['POST /notes']);
    expect(await bodies()).toEqual([]);
  });
});

describe('an answer on GitLab', () => {
  it('leaves a resolved thread resolved', async () => {
    await review([on('added', 'a finding')]);
    const threadId = (await comments())[0]?.threadId ?? '';
    await bench.world.forge.resolving?.resolveThread(bench.world.changeRequest, threadId, signal);
    await bench.world.forge.threads?.reply(bench.world.changeRequest, threadId, text('thanks'), signal);
    expect((await comments()).map(({ body, resolved }) => [body, resolved])).toEqual([
      ['a finding', true],
      ['thanks', true],
    ]);
  });
});

describe('a change request on GitLab', () => {
  it('has its facts before it is prepared', async () => {
    bench.world.sim.setPrepareDelay(600_000);
    const [number] = await bench.world.people.openMore(1);
    bench.world.sim.setPrepareDelay(0);
    const facts = await bench.world.forge.read.fetchChangeRequest(
      { ...bench.world.changeRequest, number: number ?? 0 },
      signal,
    );
    expect(bench.world.sim.mergeRequestAt({ ...at(), iid: number ?? 0 }).versions).toEqual([]);
    expect(facts).toMatchObject({ state: 'open', targetHead: bench.world.base, sourceBranch: 'more-1' });
  });

  it('from a fork says so, and so does one whose fork is gone', async () => {
    const { sim, project } = bench.world;
    await sim.forkProject(project, bench.world.outsider.login);
    const fork = `${bench.world.outsider.login}/shop`;
    await sim.commitFiles({
      project: fork,
      branch: 'idea',
      files: { 'idea.txt': 'x\n' },
      message: 'idea',
      author: bench.world.outsider.login,
    });
    const wish = {
      project,
      sourceProject: fork,
      sourceBranch: 'idea',
      title: 'Idea',
      author: bench.world.outsider.login,
    };
    const { iid } = await sim.openMergeRequest(wish);
    const of = { ...bench.world.changeRequest, number: iid };
    expect(await bench.world.forge.read.fetchChangeRequest(of, signal)).toMatchObject({ fromFork: true });
    await sim.deleteProject(fork);
    expect(await bench.world.forge.read.fetchChangeRequest(of, signal)).toMatchObject({
      fromFork: true,
      state: 'open',
    });
  });

  it('tells its labels and reviewers', async () => {
    const edit = { labels: ['bug'], reviewers: [bench.world.bot.login] };
    await bench.world.sim.editMergeRequest({ ...at(), as: bench.world.author.login, ...edit });
    expect(await bench.world.forge.read.fetchChangeRequest(bench.world.changeRequest, signal)).toMatchObject({
      labels: ['bug'],
      reviewers: [bench.world.bot],
    });
  });
});

describe('a status on GitLab', () => {
  const status = (state: OutgoingStatus['state'], more: Partial<OutgoingStatus> = {}): OutgoingStatus => ({
    head: bench.world.head,
    sourceBranch: 'feature',
    state,
    context: 'fixpoint',
    description: 'in words',
    targetUrl: null,
    ...more,
  });
  const write = (outgoing: OutgoingStatus, number = 1) =>
    bench.world.forge.write.writeStatus({ ...bench.world.changeRequest, number }, outgoing, signal);
  const sent = () => requests().filter(({ method }) => method === 'POST');
  const read = () => bench.world.forge.read.fetchStatuses(bench.world.changeRequest, bench.world.head, signal);

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
      bench.world.sim.setStatus({
        project: bench.world.project,
        sha: bench.world.head,
        ref: 'feature',
        name: 'fixpoint',
        state: 'pending',
        as: bench.world.bot.login,
      });
    fault({ method: 'POST', path: /statuses/ }, { kind: 'meanwhile', task: elsewhere });
    await write(status('pending'));
    expect(await read()).toMatchObject([{ state: 'pending' }]);
  });

  it('waits a little for another update of the same pipeline', async () => {
    fault({ method: 'POST', path: /statuses/, times: 2 }, { kind: 'status', status: 409 });
    await write(status('success'));
    expect(await read()).toMatchObject([{ state: 'success' }]);
    expect(bench.world.slept()).toEqual([125, 250]);
  });

  it('leaves a lock that stays to the next try of the job', async () => {
    fault({ method: 'POST', path: /statuses/, times: 9 }, { kind: 'status', status: 409 });
    const { code, disposition } = await failureOf(write(status('success')));
    expect([code, disposition]).toEqual(['FORGE_REJECTED', { kind: 'retry' }]);
    expect(sent()).toHaveLength(4);
  });

  it('stays unset where the head lies in a fork, and nothing fails', async () => {
    const { sim, project } = bench.world;
    await sim.forkProject(project, bench.world.outsider.login);
    const fork = `${bench.world.outsider.login}/shop`;
    const files = { 'idea.txt': 'x\n' };
    const author = bench.world.outsider.login;
    const head = await sim.commitFiles({ project: fork, branch: 'idea', files, message: 'idea', author });
    const wish = { project, sourceProject: fork, sourceBranch: 'idea', title: 'Idea', author };
    const { iid } = await sim.openMergeRequest(wish);
    await write(status('success', { head: head as typeof bench.world.head, sourceBranch: 'idea' }), iid);
    expect(bench.world.unset).toEqual([
      { projectId: bench.world.changeRequest.projectId, number: iid, head, why: 'fork' },
    ]);
    expect(sent()).toEqual([]);
  });

  it('stays unset for a head that no branch has any more', async () => {
    fault({ method: 'POST', path: /statuses/ }, { kind: 'status', status: 404 });
    await write(status('success'));
    expect(bench.world.unset).toEqual([
      { projectId: bench.world.changeRequest.projectId, number: 1, head: bench.world.head, why: 'gone' },
    ]);
  });
});

describe('people on GitLab', () => {
  it('have the rights of the groups above', async () => {
    const ask = (account: typeof bench.world.owner) =>
      bench.world.forge.read.fetchPermission(bench.world.changeRequest.projectId, account, signal);
    expect(await Promise.all([bench.world.owner, bench.world.author].map(ask))).toEqual(['admin', 'write']);
  });

  it('keep them under another name', async () => {
    bench.world.sim.renameUser(bench.world.author.login, 'somebody-else');
    const asked = bench.world.forge.read.fetchPermission(
      bench.world.changeRequest.projectId,
      bench.world.author,
      signal,
    );
    expect(await asked).toBe('write');
  });
});

describe('a name on GitLab', () => {
  const named = async (name: string) => bench.world.forge.read.findName(name, signal);

  it('can be that of a group, with the groups above it', async () => {
    const group = bench.world.groupPath;
    expect(await named(group)).toEqual({ kind: 'group' });
    expect(await named(`${group}/none`)).toBeNull();
  });

  it('is a person before it is a group', async () => {
    const { author } = bench.world;
    expect(await named(author.login)).toEqual({ kind: 'person', account: author });
    expect(requests().filter(({ path }) => path.includes('/groups/'))).toEqual([]);
  });
});
