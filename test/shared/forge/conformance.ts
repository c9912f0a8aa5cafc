/**
 * What every forge adapter must do, told through the port alone. An adapter's test starts a world and runs this.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../shared/errors.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError, InlineRefusedError } from '../../../shared/forge/errors.ts';
import type { Account, ForgeComment, OutgoingReview, OutgoingStatus } from '../../../shared/forge/port.ts';
import type { PostableBody } from '../../../shared/rounds/vocabulary.ts';
import type { ConformanceWorld } from './conformance-world.ts';

const run = promisify(execFile);
const signal = new AbortController().signal;
/** Tests write plain words: nothing here needs the sanitizer. */
const text = (body: string): PostableBody => body as PostableBody;

const failureOf = async (promise: Promise<unknown>): Promise<AppError> => {
  const outcome: unknown = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(AppError);
  return outcome as AppError; // Checked by the line above.
};

export const describeForge = (name: string, start: (totalMs?: number) => Promise<ConformanceWorld>): void => {
  describe(name, () => {
    let world: ConformanceWorld;
    let problems: readonly string[] = [];

    beforeEach(async () => {
      world = await start();
    });
    afterEach(async () => {
      problems = [...world.violations()];
      await world.close();
      if (problems.length > 0) throw new Error(`a real forge would not have understood: ${problems.join('; ')}`);
    });

    const comments = (): Promise<readonly ForgeComment[]> =>
      world.forge.read.fetchComments(world.changeRequest, signal);
    const bodies = async (): Promise<readonly string[]> => (await comments()).map((comment) => comment.body);
    const say = (body: string) => world.forge.write.createComment(world.changeRequest, text(body), signal);
    const withBody = async (body: string): Promise<ForgeComment> => {
      const found = (await comments()).filter((comment) => comment.body === body);
      expect(found).toHaveLength(1);
      return found[0] as ForgeComment; // Checked by the line above.
    };
    const review = (inline: OutgoingReview['comments'], body = 'summary'): Promise<void> => {
      const { head, base } = world;
      const outgoing = { head, base, targetHead: base, body: text(body), comments: inline };
      return world.forge.write.submitReview(world.changeRequest, outgoing, signal);
    };
    const on = (where: keyof ConformanceWorld['positions'], body: string) => ({
      position: world.positions[where],
      body: text(body),
    });
    const facts = () => world.forge.read.fetchChangeRequest(world.changeRequest, signal);

    describe('reading', () => {
      it('tells the account of its token', async () => {
        expect(await world.forge.read.fetchSelf(signal)).toEqual(world.bot);
      });

      it('tells a change request as it is', async () => {
        const { changeRequest, title, description, head, base, sourceBranch, targetBranch, author } = world;
        expect(await facts()).toEqual({
          changeRequest,
          state: 'open',
          draft: false,
          title,
          description,
          author,
          labels: [],
          head,
          targetHead: base,
          sourceBranch,
          targetBranch,
          fromFork: false,
          reviewers: [],
          updatedAtMs: expect.any(Number),
          webUrl: expect.stringMatching(/^http/),
        });
      });

      it('says null for a change request that does not exist', async () => {
        const nowhere = { ...world.changeRequest, number: 99_999 };
        expect(await world.forge.read.fetchChangeRequest(nowhere, signal)).toBeNull();
      });

      it('says null for a project that does not exist', async () => {
        const nowhere = { ...world.changeRequest, projectId: 99_999 };
        expect(await world.forge.read.fetchChangeRequest(nowhere, signal)).toBeNull();
        expect(await world.forge.read.fetchProject(99_999, signal)).toBeNull();
      });

      it('sees a draft come and go', async () => {
        await world.people.retitle(`WIP: ${world.title}`);
        expect((await facts())?.draft).toBe(true);
        await world.people.retitle(world.title);
        expect((await facts())?.draft).toBe(false);
      });

      it('sees a closed change request', async () => {
        await world.people.close();
        expect((await facts())?.state).toBe('closed');
      });

      it('sees a new head', async () => {
        const pushed = await world.people.push();
        expect((await facts())?.head).toBe(pushed);
      });

      it('still tells a change request whose author is gone', async () => {
        await world.people.deleteAccount(world.author);
        expect((await facts())?.author.id).not.toBe(world.author.id);
      });

      it('lists all open change requests, the most recently updated first', async () => {
        const more = await world.people.openMore(7);
        const listed = await world.forge.read.listOpenChangeRequests(world.changeRequest.projectId, signal);
        expect(listed.map(({ changeRequest }) => changeRequest.number)).toEqual([
          ...more.toReversed(),
          world.changeRequest.number,
        ]);
        expect(listed.at(-1)).toEqual({
          changeRequest: world.changeRequest,
          head: world.head,
          draft: false,
          updatedAtMs: expect.any(Number),
        });
      });

      it('finds a project by its path and by its id', async () => {
        const project = await world.forge.read.findProject(world.projectPath, signal);
        expect(project).toEqual({
          id: world.changeRequest.projectId,
          path: world.projectPath,
          webUrl: expect.stringMatching(/^http/),
          defaultBranch: world.targetBranch,
        });
        expect(await world.forge.read.fetchProject(world.changeRequest.projectId, signal)).toEqual(project);
      });

      it.each(['nobody/nothing', 'one-part', '', '../..', 'a/../../user'])(
        'finds no project under %j',
        async (path) => {
          expect(await world.forge.read.findProject(path, signal)).toBeNull();
        },
      );

      it('follows a project through a rename', async () => {
        await facts();
        await world.people.renameProject('store');
        expect((await facts())?.title).toBe(world.title);
        await say('after the rename');
        expect(await bodies()).toEqual(['after the rename']);
      });

      it('tells git where the head is', async () => {
        const source = await world.forge.read.locateGit(world.changeRequest, signal);
        expect(source.url).toMatch(new RegExp(`/${world.projectPath}\\.git$`));
        expect(new URL(source.url).username).toBe('');
        expect(source.headRef).toContain(String(world.changeRequest.number));
        await run('git', ['check-ref-format', source.headRef]);
      });
    });

    describe('comments', () => {
      it('reads back what it wrote', async () => {
        await say('a word');
        expect(await comments()).toEqual([
          {
            id: expect.stringMatching(/^\d+$/),
            kind: 'conversation',
            threadId: null,
            author: world.bot,
            body: 'a word',
            createdAtMs: expect.any(Number),
            updatedAtMs: expect.any(Number),
            place: null,
            resolved: null,
            webUrl: expect.stringMatching(/^http/),
          },
        ]);
      });

      it('keeps a body to the letter', async () => {
        const body = 'Ünïcode 😀\n\n```ts\nconst a = "<b>";\n```\n<!-- fixpoint:1 abc.def -->';
        await say(body);
        expect(await bodies()).toEqual([body]);
      });

      it('finds its own among many', async () => {
        for (let index = 0; index < 6; index += 1) await world.people.comment(world.author, `before ${index}`);
        await say('mine');
        for (let index = 0; index < 6; index += 1) await world.people.inlineComment(world.author, 5, `after ${index}`);
        const all = await comments();
        expect(all).toHaveLength(13);
        expect(all.filter((comment) => comment.author?.id === world.bot.id).map((comment) => comment.body)).toEqual([
          'mine',
        ]);
      });

      it('gives comments of one kind in the order of their ids', async () => {
        for (const body of ['one', 'two', 'three']) await say(body);
        await review([on('added', 'four'), on('range', 'five'), on('removed', 'six')]);
        const all = await comments();
        for (const kind of ['conversation', 'inline'] as const) {
          const ids = all.filter((comment) => comment.kind === kind).map((comment) => Number(comment.id));
          expect(ids).toHaveLength(3);
          expect(ids).toEqual(ids.toSorted((left, right) => left - right));
        }
      });

      it('edits in place', async () => {
        await say('first');
        const before = await withBody('first');
        await world.forge.write.editComment(world.changeRequest, before, text('second'), signal);
        expect((await comments()).map(({ id, body }) => ({ id, body }))).toEqual([{ id: before.id, body: 'second' }]);
      });

      it('deletes, and deleting what is gone is no failure', async () => {
        await say('to stay');
        await say('to go');
        const gone = await withBody('to go');
        await world.forge.write.deleteComment(world.changeRequest, gone, signal);
        await world.forge.write.deleteComment(world.changeRequest, gone, signal);
        expect(await bodies()).toEqual(['to stay']);
      });

      it('still tells the comments of an account that is gone', async () => {
        await world.people
          .comment(world.outsider, 'farewell')
          .catch(() => world.people.comment(world.reader, 'farewell'));
        await world.people.deleteAccount(world.outsider);
        await world.people.deleteAccount(world.reader);
        const { author } = await withBody('farewell');
        expect([world.outsider.id, world.reader.id]).not.toContain(author?.id);
      });

      it('reacts, and reacting again is no failure', async () => {
        await world.people.comment(world.author, 'please look');
        const { id } = await withBody('please look');
        await world.forge.write.react(world.changeRequest, id, 'eyes', signal);
        await world.forge.write.react(world.changeRequest, id, 'eyes', signal);
      });
    });

    describe('reviews', () => {
      it('publishes the summary and every inline comment at its place', async () => {
        await review([on('added', 'on an added line'), on('removed', 'on a removed line')]);
        const found = (await comments()).map(({ kind, body, place, author }) => ({
          kind,
          body,
          place,
          author: author?.id,
        }));
        const { added, removed } = world.positions;
        expect(found).toHaveLength(3);
        expect(found).toEqual(
          expect.arrayContaining([
            { kind: 'review_body', body: 'summary', place: null, author: world.bot.id },
            {
              kind: 'inline',
              body: 'on an added line',
              place: { path: added.newPath, side: 'new', line: added.end.newLine },
              author: world.bot.id,
            },
            {
              kind: 'inline',
              body: 'on a removed line',
              place: { path: removed.oldPath, side: 'old', line: removed.end.oldLine },
              author: world.bot.id,
            },
          ]),
        );
      });

      it('publishes a comment on several lines within those lines', async () => {
        await review([on('range', 'on three lines')]);
        const { place } = await withBody('on three lines');
        const { start, end } = world.positions.range;
        expect(place?.side).toBe('new');
        expect(place?.line).toBeGreaterThanOrEqual(start.newLine ?? 0);
        expect(place?.line).toBeLessThanOrEqual(end.newLine ?? 0);
      });

      it('publishes a review without inline comments', async () => {
        await review([]);
        expect((await comments()).map(({ kind, body }) => [kind, body])).toEqual([['review_body', 'summary']]);
      });

      it('edits an inline comment', async () => {
        await review([on('added', 'first')]);
        await world.forge.write.editComment(world.changeRequest, await withBody('first'), text('second'), signal);
        expect(await bodies()).toEqual(expect.arrayContaining(['summary', 'second']));
      });

      it('publishes nothing at all when a position is refused', async () => {
        const refused = await failureOf(
          review([on('added', 'good'), on('nowhere', 'bad'), on('range', 'never reached')]),
        );
        expect(refused).toBeInstanceOf(InlineRefusedError);
        expect(refused).toMatchObject({ code: 'FORGE_INLINE_REFUSED', index: 1 });
        expect(await bodies()).toEqual([]);
      });

      it('can publish right after a refusal, and nothing of the refused review comes with it', async () => {
        await failureOf(review([on('added', 'good'), on('nowhere', 'bad')]));
        await review([on('added', 'good')], 'once more');
        expect((await bodies()).toSorted()).toEqual(['good', 'once more']);
      });

      it('leaves nothing that clearing would find', async () => {
        await failureOf(review([on('added', 'good'), on('nowhere', 'bad')]));
        expect(await world.forge.write.clearLeftovers(world.changeRequest, () => true, signal)).toBe(0);
      });

      it('clears its own leftovers', async () => {
        await world.people.startDraft(world.bot, 5, 'left over');
        const isOurs = (body: string): boolean => ['left over', 'not yet'].includes(body);
        expect(await world.forge.write.clearLeftovers(world.changeRequest, isOurs, signal)).toBe(1);
        await review([on('added', 'fresh')]);
        expect((await bodies()).toSorted()).toEqual(['fresh', 'summary']);
      });

      it('keeps a draft that somebody writes by hand, and does not publish it', async () => {
        await world.people.startDraft(world.bot, 5, 'my private thoughts');
        expect(await world.forge.write.clearLeftovers(world.changeRequest, () => false, signal)).toBe(0);
        const error = await failureOf(review([on('added', 'fresh')]));
        expect(error.code).toBe('FORGE_PENDING_DRAFT');
        expect(await bodies()).toEqual([]);
      });

      it("does not show or touch other people's drafts", async () => {
        await world.people.startDraft(world.author, 5, 'unfinished');
        expect(await world.forge.write.clearLeftovers(world.changeRequest, () => true, signal)).toBe(0);
        await review([on('added', 'fresh')]);
        expect((await bodies()).toSorted()).toEqual(['fresh', 'summary']);
      });
    });

    describe('threads', () => {
      it('has the abilities that the installation has, and no others', () => {
        expect({ reply: world.forge.threads !== null, resolve: world.forge.resolving !== null }).toEqual(world.can);
      });

      it("knows a human's answer as part of the thread", async () => {
        await review([on('added', 'a finding'), on('range', 'another finding')]);
        await world.people.answer(world.author, 'a finding', 'an answer');
        const [finding, answer, other] = await Promise.all(['a finding', 'an answer', 'another finding'].map(withBody));
        expect(finding?.threadId).not.toBeNull();
        expect(answer?.threadId).toBe(finding?.threadId);
        expect(other?.threadId).not.toBe(finding?.threadId);
        expect(answer?.author).toEqual(world.author);
      });

      it('answers in the thread, on either side', async () => {
        const { threads } = world.forge;
        if (threads === null) return;
        await review([on('added', 'new side'), on('removed', 'old side')]);
        await world.people.answer(world.author, 'new side', 'why?');
        for (const root of ['new side', 'old side']) {
          const { threadId, place } = await withBody(root);
          await threads.reply(world.changeRequest, threadId ?? '', text(`because of the ${root}`), signal);
          expect(await withBody(`because of the ${root}`)).toMatchObject({ threadId, place, author: world.bot });
        }
        expect((await withBody('why?')).threadId).toBe((await withBody('new side')).threadId);
      });

      it('answers in a thread that a human opened', async () => {
        const { threads } = world.forge;
        if (threads === null) return;
        await world.people.inlineComment(world.author, 5, 'what is this?');
        const { threadId } = await withBody('what is this?');
        await threads.reply(world.changeRequest, threadId ?? '', text('a change'), signal);
        expect((await withBody('a change')).threadId).toBe(threadId);
      });

      it.each(['', 'nonsense', '{}', '{"review":1}', '7'])('refuses %j as the id of a thread', async (threadId) => {
        const { threads, resolving } = world.forge;
        const calls = [
          threads?.reply(world.changeRequest, threadId, text('x'), signal),
          resolving?.resolveThread(world.changeRequest, threadId, signal),
        ].filter((call) => call !== undefined);
        for (const call of calls) expect((await failureOf(call)).code).toBe('FORGE_BAD_THREAD');
      });

      it('resolves a thread and shows it for all of its comments', async () => {
        const { resolving } = world.forge;
        if (resolving === null) return;
        await review([on('added', 'a finding'), on('range', 'another finding')]);
        await world.people.answer(world.author, 'a finding', 'fixed');
        const { threadId } = await withBody('a finding');
        await resolving.resolveThread(world.changeRequest, threadId ?? '', signal);
        const states = await Promise.all(
          ['a finding', 'fixed', 'another finding'].map(async (body) => (await withBody(body)).resolved),
        );
        expect(states).toEqual([true, true, false]);
      });

      it('sees that a human resolved a thread', async () => {
        await review([on('added', 'a finding')]);
        expect((await withBody('a finding')).resolved).toBe(false);
        await world.people.resolve(world.author, 'a finding');
        expect((await withBody('a finding')).resolved).toBe(true);
      });
    });

    describe('statuses', () => {
      const status = (state: OutgoingStatus['state'], description = 'in words'): OutgoingStatus => ({
        head: world.head,
        sourceBranch: world.sourceBranch,
        state,
        context: 'fixpoint/review',
        description,
        targetUrl: null,
      });
      const statuses = () => world.forge.read.fetchStatuses(world.changeRequest.projectId, world.head, signal);
      const write = (outgoing: OutgoingStatus) => world.forge.write.writeStatus(world.changeRequest, outgoing, signal);

      it('has none at first', async () => {
        expect(await statuses()).toEqual([]);
      });

      it.each(['pending', 'success', 'failure', 'error'] as const)('writes and reads %s', async (state) => {
        await write(status(state));
        expect(await statuses()).toEqual([
          { context: 'fixpoint/review', state, description: 'in words', createdAtMs: expect.any(Number) },
        ]);
      });

      it('tells the newest of each context, however many there were', async () => {
        for (let index = 0; index < 7; index += 1) await write(status('pending', `step ${index}`));
        await write({ ...status('failure'), context: 'other' });
        await write(status('success'));
        const found = (await statuses()).map(({ context, state }) => [context, state]);
        expect(found.toSorted()).toEqual([
          ['fixpoint/review', 'success'],
          ['other', 'failure'],
        ]);
      });

      it('cuts a long description instead of being refused', async () => {
        await write(status('success', '😀'.repeat(400)));
        const [found] = await statuses();
        expect(Array.from(found?.description ?? '').length).toBeLessThanOrEqual(140);
        expect(found?.description).toMatch(/^(?:😀)+…$/u);
      });
    });

    describe('permission', () => {
      it('tells who may do what', async () => {
        const ask = (account: Account) =>
          world.forge.read.fetchPermission(world.changeRequest.projectId, account, signal);
        expect(await Promise.all([world.owner, world.author, world.reader, world.outsider].map(ask))).toEqual([
          'admin',
          'write',
          'read',
          'none',
        ]);
      });

      it('gives nothing to an account that does not exist', async () => {
        const ghost = { id: 424_242, login: 'nobody-at-all' };
        expect(await world.forge.read.fetchPermission(world.changeRequest.projectId, ghost, signal)).toBe('none');
      });

      it('gives nothing to somebody who took over a login', async () => {
        const impostor = { id: 424_242, login: world.author.login };
        expect(await world.forge.read.fetchPermission(world.changeRequest.projectId, impostor, signal)).toBe('none');
      });
    });

    describe('on a bad day', () => {
      it('waits as long as a rate limit asks for and reads on', async () => {
        world.fail('read_change_request', 'rate_limited');
        expect((await facts())?.title).toBe(world.title);
        expect(world.slept()).toEqual([2_000]);
      });

      it('survives a cut and a truncated answer while reading', async () => {
        world.fail('read_comments', 'reset_before');
        world.fail('read_comments', 'truncated');
        await say('still here');
        expect(await bodies()).toEqual(['still here']);
      });

      it('gives a failing read back to the queue and works again afterwards', async () => {
        world.fail('read_change_request', 'server_error', 3);
        for (let round = 1; round <= 3; round += 1) {
          const error = await failureOf(facts());
          expect([error.code, error.disposition]).toEqual(['FORGE_UNAVAILABLE', { kind: 'retry' }]);
        }
        expect((await facts())?.title).toBe(world.title);
      });

      it('gives a truncated read that stays truncated back to the queue', async () => {
        world.fail('read_change_request', 'truncated', 4);
        const error = await failureOf(facts());
        expect(error).toBeInstanceOf(ForgeRequestError);
        expect(error.disposition).toEqual({ kind: 'retry' });
      });

      it('says that a write surely did nothing when it was limited, and does not repeat it', async () => {
        world.fail('create_comment', 'rate_limited');
        const error = await failureOf(say('a word'));
        expect([error.code, error.disposition]).toEqual([
          'FORGE_RATE_LIMITED',
          { kind: 'retry_after', delayMs: 2_000 },
        ]);
        expect(await bodies()).toEqual([]);
      });

      it.each([
        ['server_error', 0],
        ['reset_before', 0],
        ['reset_after', 1],
        ['truncated', 1],
      ] as const)('does not know the outcome of a comment after %s and sends it once', async (failure, landed) => {
        world.fail('create_comment', failure);
        const outcome = await say('a word').then(
          () => 'done',
          (error: unknown) => error,
        );
        // A truncated answer still says that it was done.
        if (outcome !== 'done') expect(outcome).toBeInstanceOf(ForgeUnknownOutcomeError);
        expect(outcome === 'done' ? landed : 1).toBe(1);
        expect(await bodies()).toHaveLength(landed);
      });

      it.each([
        ['server_error', 0],
        ['reset_before', 0],
        ['reset_after', 3],
        ['truncated', 3],
      ] as const)('does not know the outcome of a review after %s and sends it once', async (failure, landed) => {
        world.fail('submit_review', failure);
        const error = await failureOf(review([on('added', 'one'), on('range', 'two')]));
        expect(error).toBeInstanceOf(ForgeUnknownOutcomeError);
        expect(error.disposition).toEqual({ kind: 'retry' });
        expect(await bodies()).toHaveLength(landed);
      });

      it('does not know the outcome of a write that is never answered', async () => {
        await world.close();
        world = await start(1_500);
        world.fail('create_comment', 'timeout_after');
        expect(await failureOf(say('a word'))).toBeInstanceOf(ForgeUnknownOutcomeError);
        expect(await bodies()).toEqual(['a word']);
      });

      it('does not know the outcome of a status that is cut off', async () => {
        world.fail('write_status', 'reset_after');
        const status = {
          head: world.head,
          sourceBranch: world.sourceBranch,
          context: 'fixpoint',
          description: '',
          targetUrl: null,
        };
        const error = await failureOf(
          world.forge.write.writeStatus(world.changeRequest, { ...status, state: 'pending' }, signal),
        );
        expect(error).toBeInstanceOf(ForgeUnknownOutcomeError);
      });

      it('reads its own words once the forge shows them', async () => {
        world.hideOwn();
        await say('a word');
        await review([on('added', 'inline')]);
        expect(await bodies()).toEqual([]);
        world.showOwn();
        expect((await bodies()).toSorted()).toEqual(['a word', 'inline', 'summary']);
      });

      it('does not try again with a token that is refused', async () => {
        const error = await failureOf(world.stranger.read.fetchSelf(signal));
        expect([error.code, error.disposition]).toEqual(['FORGE_UNAUTHORISED', { kind: 'fail' }]);
        expect(world.slept()).toEqual([]);
      });

      it('ends when its signal aborts', async () => {
        const error = await failureOf(world.forge.read.fetchComments(world.changeRequest, AbortSignal.abort()));
        expect([error.code, error.disposition]).toEqual(['FORGE_ABORTED', { kind: 'retry' }]);
      });
    });
  });
};
