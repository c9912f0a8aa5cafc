import { describe, expect, it } from 'vitest';
import { ForgeRequestError, ForgeUnknownOutcomeError } from '../../../shared/forge/errors.ts';
import type { ConformanceWorld } from './conformance-world.ts';
import { type Bench, failureOf, signal } from './conformance-bench.ts';

/** What the adapter makes of a forge on its worst day. */
export const describeFaults = (bench: Bench, start: (totalMs?: number) => Promise<ConformanceWorld>): void => {
  const { bodies, say, review, published, on, facts } = bench;

  describe('on a bad day', () => {
    it('waits as long as a rate limit asks for and reads on', async () => {
      bench.world.fail('read_change_request', 'rate_limited');
      expect((await facts())?.title).toBe(bench.world.title);
      expect(bench.world.slept()).toEqual([2_000]);
    });

    it('survives a cut and a truncated answer while reading', async () => {
      bench.world.fail('read_comments', 'reset_before');
      bench.world.fail('read_comments', 'truncated');
      await say('still here');
      expect(await bodies()).toEqual(['still here']);
    });

    it('gives a failing read back to the queue and works again afterwards', async () => {
      bench.world.fail('read_change_request', 'server_error', 3);
      for (let review = 1; review <= 3; review += 1) {
        const error = await failureOf(facts());
        expect([error.code, error.disposition]).toEqual(['FORGE_UNAVAILABLE', { kind: 'retry' }]);
      }
      expect((await facts())?.title).toBe(bench.world.title);
    });

    it('gives a truncated read that stays truncated back to the queue', async () => {
      bench.world.fail('read_change_request', 'truncated', 4);
      const error = await failureOf(facts());
      expect(error).toBeInstanceOf(ForgeRequestError);
      expect(error.disposition).toEqual({ kind: 'retry' });
    });

    it('does not take an empty answer for an empty list', async () => {
      await say('still here');
      bench.world.fail('read_comments', 'empty', 4);
      const error = await failureOf(bodies());
      expect([error.code, error.disposition]).toEqual(['FORGE_BAD_ANSWER', { kind: 'retry' }]);
      expect(await bodies()).toEqual(['still here']);
    });

    it('says that a write surely did nothing when it was limited, and does not repeat it', async () => {
      bench.world.fail('create_comment', 'rate_limited');
      const error = await failureOf(say('a word'));
      expect([error.code, error.disposition]).toEqual(['FORGE_RATE_LIMITED', { kind: 'retry_after', delayMs: 2_000 }]);
      expect(await bodies()).toEqual([]);
    });

    it.each([
      ['server_error', 0],
      ['reset_before', 0],
      ['reset_after', 1],
      ['truncated', 1],
      ['maintenance', 0],
    ] as const)('does not know the outcome of a comment after %s and sends it once', async (failure, landed) => {
      bench.world.fail('create_comment', failure);
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
      ['server_error', false],
      ['reset_before', false],
      ['reset_after', true],
      ['truncated', true],
      ['maintenance', false],
    ] as const)('does not know the outcome of a review after %s and sends it once', async (failure, landed) => {
      bench.world.fail('submit_review', failure);
      const outcome = await review([on('added', 'one'), on('range', 'two')]).then(
        () => 'done',
        (error: unknown) => error,
      );
      // Of an answer without a body nothing can be cut off.
      if (outcome !== 'done' || failure !== 'truncated') {
        expect(outcome).toBeInstanceOf(ForgeUnknownOutcomeError);
        expect(outcome).toMatchObject({ disposition: { kind: 'retry' } });
      }
      expect((await bodies()).toSorted()).toEqual(landed ? published(['one', 'two']) : []);
    });

    it('does not know the outcome of a write that is never answered', async () => {
      await bench.world.close();
      bench.world = await start(4_000);
      bench.world.fail('create_comment', 'timeout_after');
      expect(await failureOf(say('a word'))).toBeInstanceOf(ForgeUnknownOutcomeError);
      expect(await bodies()).toEqual(['a word']);
    });

    it.each(['reset_after', 'maintenance'] as const)(
      'does not know the outcome of a status after %s',
      async (failure) => {
        bench.world.fail('write_status', failure);
        const status = {
          head: bench.world.head,
          sourceBranch: bench.world.sourceBranch,
          context: 'fixpoint',
          description: '',
          targetUrl: null,
        };
        const error = await failureOf(
          bench.world.forge.write.writeStatus(bench.world.changeRequest, { ...status, state: 'pending' }, signal),
        );
        expect(error).toBeInstanceOf(ForgeUnknownOutcomeError);
      },
    );

    it('reads its own words once the forge shows them', async () => {
      bench.world.hideOwn();
      await say('a word');
      await review([on('added', 'inline')]);
      expect(await bodies()).toEqual([]);
      bench.world.showOwn();
      expect((await bodies()).toSorted()).toEqual(published(['a word', 'inline']));
    });

    it('does not try again with a token that is refused', async () => {
      const error = await failureOf(bench.world.stranger.read.fetchSelf(signal));
      expect([error.code, error.disposition]).toEqual(['FORGE_UNAUTHORISED', { kind: 'fail' }]);
      expect(bench.world.slept()).toEqual([]);
    });

    it('ends when its signal aborts', async () => {
      const error = await failureOf(
        bench.world.forge.read.fetchComments(bench.world.changeRequest, AbortSignal.abort()),
      );
      expect([error.code, error.disposition]).toEqual(['FORGE_ABORTED', { kind: 'retry' }]);
    });
  });
};
