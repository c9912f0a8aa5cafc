import { describe, expect, it } from 'vitest';
import type { OutgoingStatus } from '../../../shared/forge/port-statuses.ts';
import { type Bench, failureOf, signal, text } from './conformance-bench.ts';

/** Threads where the forge has them, and commit statuses. */
export const describeThreads = (bench: Bench): void => {
  const { withBody, review, on } = bench;

  describe('threads', () => {
    it('has the abilities that the installation has, and no others', () => {
      const { forge, can } = bench.world;
      expect({ reply: forge.threads !== null, resolve: forge.resolving !== null }).toEqual({
        reply: can.reply,
        resolve: can.resolve,
      });
    });

    it("knows a human's answer as part of the thread", async () => {
      await review([on('added', 'a finding'), on('range', 'another finding')]);
      await bench.world.people.answer(bench.world.author, 'a finding', 'an answer');
      const [finding, answer, other] = await Promise.all(['a finding', 'an answer', 'another finding'].map(withBody));
      expect(finding?.threadId).not.toBeNull();
      expect(answer?.threadId).toBe(finding?.threadId);
      expect(other?.threadId).not.toBe(finding?.threadId);
      expect(answer?.author).toEqual(bench.world.author);
    });

    it('answers in the thread, on either side', async () => {
      const { threads } = bench.world.forge;
      if (threads === null) return;
      await review([on('added', 'new side'), on('removed', 'old side')]);
      await bench.world.people.answer(bench.world.author, 'new side', 'why?');
      for (const root of ['new side', 'old side']) {
        const { threadId, place } = await withBody(root);
        await threads.reply(bench.world.changeRequest, threadId ?? '', text(`because of the ${root}`), signal);
        expect(await withBody(`because of the ${root}`)).toMatchObject({ threadId, place, author: bench.world.bot });
      }
      expect((await withBody('why?')).threadId).toBe((await withBody('new side')).threadId);
    });

    it('answers in a thread that a human opened', async () => {
      const { threads } = bench.world.forge;
      if (threads === null) return;
      await bench.world.people.inlineComment(bench.world.author, 5, 'what is this?');
      const { threadId } = await withBody('what is this?');
      await threads.reply(bench.world.changeRequest, threadId ?? '', text('a change'), signal);
      expect((await withBody('a change')).threadId).toBe(threadId);
    });

    it.each(['', 'nonsense', '{}', '{"review":1}', '7'])('refuses %j as the id of a thread', async (threadId) => {
      const { threads, resolving } = bench.world.forge;
      const calls = [
        threads?.reply(bench.world.changeRequest, threadId, text('x'), signal),
        resolving?.resolveThread(bench.world.changeRequest, threadId, signal),
      ].filter((call) => call !== undefined);
      for (const call of calls) expect((await failureOf(call)).code).toBe('FORGE_BAD_THREAD');
    });

    it('resolves a thread and shows it for all of its comments', async () => {
      const { resolving } = bench.world.forge;
      if (resolving === null) return;
      await review([on('added', 'a finding'), on('range', 'another finding')]);
      await bench.world.people.answer(bench.world.author, 'a finding', 'fixed');
      const { threadId } = await withBody('a finding');
      await resolving.resolveThread(bench.world.changeRequest, threadId ?? '', signal);
      const states = await Promise.all(
        ['a finding', 'fixed', 'another finding'].map(async (body) => (await withBody(body)).resolved),
      );
      expect(states).toEqual([true, true, false]);
    });

    it('sees that a human resolved a thread', async () => {
      await review([on('added', 'a finding')]);
      expect((await withBody('a finding')).resolved).toBe(false);
      await bench.world.people.resolve(bench.world.author, 'a finding');
      expect((await withBody('a finding')).resolved).toBe(true);
    });
  });

  describe('statuses', () => {
    const status = (state: OutgoingStatus['state'], description = 'in words'): OutgoingStatus => ({
      head: bench.world.head,
      sourceBranch: bench.world.sourceBranch,
      state,
      context: 'fixpoint/review',
      description,
      targetUrl: null,
    });
    const statuses = () => bench.world.forge.read.fetchStatuses(bench.world.changeRequest, bench.world.head, signal);
    const write = (outgoing: OutgoingStatus) =>
      bench.world.forge.write.writeStatus(bench.world.changeRequest, outgoing, signal);

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
      expect(Object.fromEntries(found)).toEqual({ 'fixpoint/review': 'success', other: 'failure' });
      expect(found).toHaveLength(2);
    });

    it('cuts a long description instead of being refused', async () => {
      await write(status('success', '😀'.repeat(400)));
      const [found] = await statuses();
      expect(Array.from(found?.description ?? '').length).toBeLessThanOrEqual(140);
      expect(found?.description).toMatch(/^(?:😀)+…$/u);
    });
  });
};
