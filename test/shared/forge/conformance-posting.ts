import { describe, expect, it } from 'vitest';
import { InlineRefusedError } from '../../../shared/forge/errors.ts';
import { type Bench, failureOf, signal, text } from './conformance-bench.ts';

/** Comments and reviews: written, read back, edited, removed, refused. */
export const describePosting = (bench: Bench): void => {
  const { comments, bodies, say, withBody, review, published, on } = bench;

  describe('comments', () => {
    it('reads back what it wrote', async () => {
      await say('a word');
      expect(await comments()).toEqual([
        {
          id: expect.stringMatching(/^\d+$/),
          kind: 'conversation',
          threadId: null,
          author: bench.world.bot,
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
      for (let index = 0; index < 6; index += 1)
        await bench.world.people.comment(bench.world.author, `before ${index}`);
      await say('mine');
      for (let index = 0; index < 6; index += 1)
        await bench.world.people.inlineComment(bench.world.author, 5, `after ${index}`);
      const all = await comments();
      expect(all).toHaveLength(13);
      expect(all.filter((comment) => comment.author?.id === bench.world.bot.id).map((comment) => comment.body)).toEqual(
        ['mine'],
      );
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
      await bench.world.forge.write.editComment(bench.world.changeRequest, before, text('second'), signal);
      expect((await comments()).map(({ id, body }) => ({ id, body }))).toEqual([{ id: before.id, body: 'second' }]);
    });

    it('deletes, and deleting what is gone is no failure', async () => {
      await say('to stay');
      await say('to go');
      const gone = await withBody('to go');
      await bench.world.forge.write.deleteComment(bench.world.changeRequest, gone, signal);
      await bench.world.forge.write.deleteComment(bench.world.changeRequest, gone, signal);
      expect(await bodies()).toEqual(['to stay']);
    });

    it('still tells the comments of an account that is gone', async () => {
      await bench.world.people
        .comment(bench.world.outsider, 'farewell')
        .catch(() => bench.world.people.comment(bench.world.reader, 'farewell'));
      await bench.world.people.deleteAccount(bench.world.outsider);
      await bench.world.people.deleteAccount(bench.world.reader);
      const { author } = await withBody('farewell');
      expect([bench.world.outsider.id, bench.world.reader.id]).not.toContain(author?.id);
    });

    it('F-R9: reacts, and reacting again is no failure', async () => {
      await bench.world.people.comment(bench.world.author, 'please look');
      const { id } = await withBody('please look');
      await bench.world.forge.write.react(bench.world.changeRequest, id, 'eyes', signal);
      await bench.world.forge.write.react(bench.world.changeRequest, id, 'eyes', signal);
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
      const { added, removed } = bench.world.positions;
      const summary = { kind: 'review_body', body: 'summary', place: null, author: bench.world.bot.id };
      expect(found).toHaveLength(bench.world.can.reviewBody ? 3 : 2);
      expect(found).toEqual(
        expect.arrayContaining([
          ...(bench.world.can.reviewBody ? [summary] : []),
          {
            kind: 'inline',
            body: 'on an added line',
            place: { path: added.newPath, side: 'new', line: added.end.newLine },
            author: bench.world.bot.id,
          },
          {
            kind: 'inline',
            body: 'on a removed line',
            place: { path: removed.oldPath, side: 'old', line: removed.end.oldLine },
            author: bench.world.bot.id,
          },
        ]),
      );
    });

    it('publishes a comment on several lines within those lines', async () => {
      await review([on('range', 'on three lines')]);
      const { place } = await withBody('on three lines');
      const { start, end } = bench.world.positions.range;
      expect(place?.side).toBe('new');
      expect(place?.line).toBeGreaterThanOrEqual(start.newLine ?? 0);
      expect(place?.line).toBeLessThanOrEqual(end.newLine ?? 0);
    });

    it('publishes a review without inline comments', async () => {
      await review([]);
      const kind = bench.world.can.reviewBody ? 'review_body' : 'conversation';
      expect((await comments()).map((comment) => [comment.kind, comment.body])).toEqual([[kind, 'summary']]);
    });

    it('edits an inline comment', async () => {
      await review([on('added', 'first')]);
      await bench.world.forge.write.editComment(
        bench.world.changeRequest,
        await withBody('first'),
        text('second'),
        signal,
      );
      expect((await bodies()).toSorted()).toEqual(published(['second']));
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
      expect((await bodies()).toSorted()).toEqual(published(['good'], 'once more'));
    });

    it('leaves nothing that clearing would find', async () => {
      await failureOf(review([on('added', 'good'), on('nowhere', 'bad')]));
      expect(await bench.world.forge.write.clearLeftovers(bench.world.changeRequest, () => true, signal)).toBe(0);
    });

    it('clears its own leftovers', async () => {
      await bench.world.people.startDraft(bench.world.bot, 5, 'left over');
      const isOurs = (body: string): boolean => ['left over', 'not yet'].includes(body);
      expect(await bench.world.forge.write.clearLeftovers(bench.world.changeRequest, isOurs, signal)).toBe(1);
      await review([on('added', 'fresh')]);
      expect((await bodies()).toSorted()).toEqual(published(['fresh']));
    });

    it('keeps a draft that somebody writes by hand, and does not publish it', async () => {
      await bench.world.people.startDraft(bench.world.bot, 5, 'my private thoughts');
      expect(await bench.world.forge.write.clearLeftovers(bench.world.changeRequest, () => false, signal)).toBe(0);
      const isDone = bench.world.can.besideDraft;
      const posting = review([on('added', 'fresh'), on('range', 'and more')]);
      if (isDone) await posting;
      else expect((await failureOf(posting)).code).toBe('FORGE_PENDING_DRAFT');
      expect((await bodies()).toSorted()).toEqual(isDone ? published(['and more', 'fresh']) : []);
      const kept = await bench.world.forge.write.clearLeftovers(bench.world.changeRequest, () => true, signal);
      expect(kept).toBe(1);
    });

    it("does not show or touch other people's drafts", async () => {
      await bench.world.people.startDraft(bench.world.author, 5, 'unfinished');
      expect(await bench.world.forge.write.clearLeftovers(bench.world.changeRequest, () => true, signal)).toBe(0);
      await review([on('added', 'fresh')]);
      expect((await bodies()).toSorted()).toEqual(published(['fresh']));
    });
  });
};
