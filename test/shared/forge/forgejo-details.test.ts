/** What only Forgejo and Gitea have: their odd corners, on the simulated forge. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import { toInlineBody } from '../../../shared/forge/forgejo/submit-review.ts';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import { createToken } from '../../sim/forgejo/program-setup.ts';
import type { Flavour } from '../../sim/forgejo/traits.ts';
import { type Bench, createBench, failureOf, signal, text } from './conformance-bench.ts';
import { POSITIONS } from './conformance-change.ts';
import { type ForgejoHall, type ForgejoWorld, startForgejoHall } from './forgejo-world.ts';

const run = promisify(execFile);

const inHall = (flavour: Flavour, tell: (bench: Bench, open: () => ForgejoWorld) => void): void => {
  describe(`on ${flavour}`, () => {
    const bench = createBench();
    let hall: ForgejoHall;
    let world: ForgejoWorld;
    beforeAll(async () => {
      hall = await startForgejoHall(flavour);
    });
    beforeEach(async () => {
      world = await hall.open();
      bench.world = world;
    });
    afterEach(async () => {
      const problems = [...world.violations()];
      await world.close();
      if (problems.length > 0) throw new Error(`a real forge would not have understood: ${problems.join('; ')}`);
    });
    afterAll(async () => hall.close());
    tell(bench, () => world);
  });
};

const SentReview = z.object({ event: z.string(), commit_id: z.string(), comments: z.array(z.unknown()) });

inHall('forgejo-15', (bench, world) => {
  const { comments, bodies, withBody, review, on, facts } = bench;
  const at = () => ({ repo: world().projectPath, number: 1 });

  it('sends one review, as a comment, on the reviewed head, even when the head has moved', async () => {
    await world().people.push();
    await review([on('added', 'one'), on('removed', 'two')]);
    const posts = world().sim.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/reviews'));
    const sent = SentReview.parse(JSON.parse(posts.at(-1)?.body ?? ''));
    expect({ event: sent.event, commit: sent.commit_id }).toEqual({ event: 'COMMENT', commit: world().head });
    const [published] = world().sim.snapshot(at().repo, 1).reviews;
    expect(published).toMatchObject({ state: 'COMMENT', commit: world().head });
    expect(published?.inline.map(({ body, side, line }) => [body, side, line])).toEqual([
      ['one', 'new', 5],
      ['two', 'old', 20],
    ]);
  });

  it('lists the other change requests when the forge cannot show one', async () => {
    const { sim, changeRequest, forge } = world();
    const hidden = { kind: 'status', status: 200, body: '[null]' } as const;
    sim.fault({ path: /\/pulls\?/ }, hidden);
    const ask = { page: 1, tag: null };
    const page = await forge.read.readOpenPage({ id: changeRequest.projectId, path: at().repo }, ask, signal);
    expect(page).toMatchObject({ open: [], unread: 1 });
  });

  it('tells git an address below the configured one, from which the head can be fetched', async () => {
    const { sim, forge, changeRequest, head } = world();
    const source = await forge.read.locateGit(changeRequest, signal);
    expect(source).toEqual({ url: `${sim.url}/${at().repo}.git`, headRef: 'refs/pull/1/head' });
    const token = sim.createToken(world().author.login);
    const listed = await run('git', ['ls-remote', source.url.replace('://', `://x:${token}@`), source.headRef]);
    expect(listed.stdout.split('\t')[0]).toBe(head);
  });

  it('needs a scope of its own for the webhooks of organisations, without which they are hidden, not missing', async () => {
    const { sim, clock, owner } = world();
    const hooksWith = async (...scopes: readonly string[]) => {
      const token = createToken(sim.world, owner.login, ['read:repository', 'read:issue', 'read:user', ...scopes]);
      const timeouts = { connectMs: 5_000, totalMs: 20_000 };
      const connection = {
        id: ForgeId.parse('sim'),
        kind: 'forgejo',
        baseUrl: sim.url,
        token,
        clock,
        timeouts,
      } as const;
      const forge = await connectForge(connection, signal);
      return forge.read.fetchHooks({ kind: 'group', path: owner.login }, signal);
    };
    expect(await hooksWith()).toBeNull();
    // A person is no organisation.
    expect(await hooksWith('read:organization')).toEqual([]);
  });

  it('asks again for a change request of which the forge says nothing, as Gitea does in the moment of a rename', async () => {
    const { sim, title } = world();
    const nothing = {
      kind: 'status',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: 'null\n',
    } as const;
    const fault = sim.fault({ method: 'GET', path: /\/pulls\/1$/ }, nothing);
    const error = await failureOf(facts());
    // No outage of the forge: it answers every other question.
    expect([error.code, error.disposition, error.message]).toEqual([
      'FORGE_BAD_ANSWER',
      { kind: 'retry' },
      'the forge answered with null, because it cannot read this object itself',
    ]);
    fault.remove();
    expect((await facts())?.title).toBe(title);
  });

  it('does not take a project that took over the name for the one that was asked for', async () => {
    await facts();
    const { sim, people, owner, author } = world();
    await people.renameProject('moved');
    await sim.createRepo(owner.login, 'shop');
    const repo = `${owner.login}/shop`;
    await sim.commitFiles({ repo, branch: 'main', files: { a: '1\n' }, message: 'a', author: owner.login });
    sim.addCollaborator(repo, author.login, 'write');
    await sim.commitFiles({ repo, branch: 'x', files: { a: '2\n' }, message: 'b', author: author.login });
    await sim.openPullRequest({ repo, head: 'x', title: 'another project', author: author.login });
    expect((await facts())?.title).toBe(world().title);
  });

  it('calls it a fork when the head comes from one, also when the fork is gone, and when it was pushed without a branch', async () => {
    const { sim, outsider, forge, changeRequest, author } = world();
    const { repo } = at();
    sim.addCollaborator(repo, outsider.login, 'read');
    await sim.forkRepo(repo, outsider.login);
    const fork = `${outsider.login}/shop`;
    await sim.commitFiles({ repo: fork, branch: 'mine', files: { b: '1\n' }, message: 'b', author: outsider.login });
    const { number } = await sim.openPullRequest({
      repo,
      headRepo: fork,
      head: 'mine',
      title: 'from a fork',
      author: outsider.login,
    });
    await sim.commitFiles({ repo, branch: 'agit', files: { c: '1\n' }, message: 'c', author: author.login });
    const agit = await sim.openPullRequest({ repo, head: 'agit', title: 'agit', author: author.login, agit: true });
    const read = (n: number) => forge.read.fetchChangeRequest({ ...changeRequest, number: n }, signal);
    expect((await read(number))?.fromFork).toBe(true);
    await sim.deleteRepo(fork);
    expect(await read(number)).toMatchObject({ fromFork: true, state: 'closed', title: 'from a fork' });
    expect(await read(agit.number)).toMatchObject({ fromFork: true, sourceBranch: `refs/pull/${agit.number}/head` });
  });

  it('lets the forge decide what a draft is', async () => {
    world().sim.world.wipPrefixes = ['Entwurf:'];
    try {
      await world().people.retitle('WIP: not a draft here');
      expect((await facts())?.draft).toBe(false);
      await world().people.retitle('Entwurf: noch nicht');
      expect((await facts())?.draft).toBe(true);
    } finally {
      world().sim.world.wipPrefixes = ['WIP:', '[WIP]'];
    }
  });

  it('sees a merged change request and asked reviewers', async () => {
    const { sim, owner, author, bot } = world();
    sim.askReview({ ...at(), as: author.login, reviewer: bot.login });
    expect((await facts())?.reviewers).toEqual([bot]);
    // A request for a review is in the list of reviews and is no word of anybody.
    expect(await comments()).toEqual([]);
    await sim.merge({ ...at(), as: owner.login });
    expect((await facts())?.state).toBe('merged');
  });

  it('deletes one inline comment and leaves the others', async () => {
    await review([on('added', 'to go'), on('range', 'to stay')]);
    await world().forge.write.deleteComment(world().changeRequest, await withBody('to go'), signal);
    expect((await bodies()).toSorted()).toEqual(['summary', 'to stay']);
  });

  it('deletes a bare review and refuses to delete one that holds comments', async () => {
    await review([], 'bare');
    await review([on('added', 'inline')], 'full');
    const remove = (comment: ForgeComment) => world().forge.write.deleteComment(world().changeRequest, comment, signal);
    await remove(await withBody('bare'));
    const error = await failureOf(remove(await withBody('full')));
    expect([error.code, error.disposition]).toEqual(['FORGE_REJECTED', { kind: 'fail' }]);
    expect((await bodies()).toSorted()).toEqual(['full', 'inline']);
  });

  it('edits the body of a review by the id of its comment, which the lists of reviews do not show', async () => {
    await review([], 'as submitted');
    const submitted = await withBody('as submitted');
    await world().forge.write.editComment(world().changeRequest, submitted, text('new'), signal);
    const { repo, number } = { repo: world().projectPath, number: world().changeRequest.number };
    expect(
      world()
        .sim.snapshot(repo, number)
        .reviews.map(({ body }) => body),
    ).toEqual(['new']);
    expect(await bodies()).toEqual(['as submitted']);
    const nameless = { ...submitted, webUrl: '' };
    const edit = world().forge.write.editComment(world().changeRequest, nameless, text('newer'), signal);
    expect((await failureOf(edit)).code).toBe('FORGE_REJECTED');
  });

  it('takes a published review for done although the answer was an error', async () => {
    world().sim.fault({ method: 'POST', path: /\/reviews$/ }, { kind: 'status', status: 500, when: 'after' });
    await review([on('added', 'one')]);
    expect((await bodies()).toSorted()).toEqual(['one', 'summary']);
  });

  it('keeps the first error when even looking at the leftovers fails', async () => {
    const { sim } = world();
    // Two lists of reviews are read: before the submission and after its failure.
    sim.fault({ method: 'GET', path: /\/reviews\?/ }, [{ kind: 'pass' }, { kind: 'status', status: 500 }]);
    const error = await failureOf(review([on('added', 'good'), on('nowhere', 'bad')]));
    expect(error.code).toBe('FORGE_UNKNOWN_OUTCOME');
    expect(await world().forge.write.clearLeftovers(world().changeRequest, (body) => body === 'good', signal)).toBe(1);
  });

  it('does not clear anything while a gateway says nothing about the forge behind it', async () => {
    const { sim, forge, changeRequest } = world();
    sim.fault({ method: 'POST', path: /\/reviews$/ }, { kind: 'status', status: 502, when: 'after' });
    const before = sim.requests.length;
    const error = await failureOf(review([on('added', 'good'), on('nowhere', 'bad')]));
    expect(error.code).toBe('FORGE_UNKNOWN_OUTCOME');
    expect(sim.requests.slice(before).filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect(await forge.write.clearLeftovers(changeRequest, (body) => body === 'good', signal)).toBe(1);
  });

  it('does not call a bare 500 a refused position', async () => {
    world().sim.fault({ method: 'POST', path: /\/reviews$/ }, { kind: 'status', status: 500 });
    expect((await failureOf(review([on('added', 'one')]))).code).toBe('FORGE_UNKNOWN_OUTCOME');
  });

  it('comments on a removed line of a renamed file', async () => {
    const { sim, owner, author, forge } = world();
    const lines = (count: number): string => Array.from({ length: count }, (_, index) => `row ${index + 1}\n`).join('');
    const repo = at().repo;
    await sim.commitFiles({
      repo,
      branch: 'main',
      files: { 'old.txt': lines(30) },
      message: 'rows',
      author: owner.login,
    });
    const files = { 'old.txt': null, 'new.txt': lines(30).replace('row 7\n', '') };
    await sim.commitFiles({ repo, branch: 'renamed', files, message: 'rename', author: author.login });
    const pull = await sim.openPullRequest({ repo, head: 'renamed', title: 'rename', author: author.login });
    const changeRequest = { ...world().changeRequest, number: pull.number };
    const seventh = { kind: 'removed', oldLine: 7, newLine: null, lineCodeOld: 7, lineCodeNew: 6 } as const;
    const position = { oldPath: 'old.txt', newPath: 'new.txt', side: 'old', start: seventh, end: seventh } as const;
    const outgoing = { ...bench.world, targetHead: bench.world.base, body: text('summary') };
    await forge.write.submitReview(
      changeRequest,
      { ...outgoing, comments: [{ position, body: text('gone') }] },
      signal,
    );
    const found = (await forge.read.fetchComments(changeRequest, signal)).find((comment) => comment.body === 'gone');
    expect(found?.place).toEqual({ path: 'old.txt', side: 'old', line: 7 });
  });
});

inHall('forgejo-16', (bench, world) => {
  const { review, on } = bench;

  it('sends a range where the forge has ranges', async () => {
    await review([on('range', 'three lines')]);
    const pull = world().sim.pullAt({ repo: world().projectPath, number: 1 });
    expect(pull.comments.find((comment) => comment.body === 'three lines')?.code).toMatchObject({
      sentLine: 25,
      extraLines: 2,
    });
  });

  it('calls a refused range a refused position', async () => {
    const { range } = world().positions;
    const far = { ...range, end: { ...range.end, newLine: 5_000 } };
    const error = await failureOf(review([{ position: far, body: text('too long') }]));
    expect(error).toMatchObject({ code: 'FORGE_INLINE_REFUSED', index: null });
  });
});

inHall('gitea-1.26', (bench, world) => {
  const { review, on, withBody, bodies } = bench;

  it('calls a change a fork that was pushed without a branch, although Gitea does not send how it was pushed', async () => {
    const { sim, author, forge, changeRequest, projectPath: repo } = world();
    await sim.commitFiles({ repo, branch: 'agit', files: { c: '1\n' }, message: 'c', author: author.login });
    const { number } = await sim.openPullRequest({
      repo,
      head: 'agit',
      title: 'agit',
      author: author.login,
      agit: true,
    });
    const read = await forge.read.fetchChangeRequest({ ...changeRequest, number }, signal);
    expect(read).toMatchObject({ fromFork: true, forkUrl: null, sourceBranch: `refs/pull/${number}/head` });
    expect((await forge.read.fetchChangeRequest(changeRequest, signal))?.fromFork).toBe(false);
  });

  it('never claims to have deleted an inline comment that is still there', async () => {
    await review([on('added', 'to go'), on('range', 'to stay')]);
    const comment = await withBody('to go');
    const outcome = await world()
      .forge.write.deleteComment(world().changeRequest, comment, signal)
      .then(
        () => 'deleted',
        (error: unknown) => error,
      );
    const left = (await bodies()).toSorted();
    if (outcome === 'deleted') expect(left).toEqual(['summary', 'to stay']);
    else {
      expect(outcome).toMatchObject({ code: 'FORGE_REJECTED' });
      expect(left).toEqual(['summary', 'to go', 'to stay']);
    }
  });
});

describe('toInlineBody', () => {
  const body = text('x');

  it.each([
    ['an added line', POSITIONS.added, false, { path: 'app.txt', new_position: 5, old_position: 0, body }],
    ['a removed line', POSITIONS.removed, true, { path: 'app.txt', new_position: 0, old_position: 20, body }],
    [
      'a range where there are none',
      POSITIONS.range,
      false,
      { path: 'app.txt', new_position: 27, old_position: 0, body },
    ],
    [
      'a range',
      POSITIONS.range,
      true,
      { path: 'app.txt', new_position: 25, old_position: 0, extra_lines_count: 2, body },
    ],
    ['a place on the wrong side', { ...POSITIONS.added, side: 'old' }, true, null],
  ] as const)('places %s', (_name, position, ranges, expected) => {
    expect(toInlineBody({ position, body }, ranges)).toEqual(expected);
  });
});
