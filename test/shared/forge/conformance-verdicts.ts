import { describe, expect, it } from 'vitest';
import type { ForgeVerdict, VerdictRefusal } from '../../../shared/vocabulary/forge-verdict.ts';
import { type Bench, signal, text } from './conformance-bench.ts';

/** Approvals and requests for changes by the bot's account: given, seen, taken back, refused. */
export const describeVerdicts = (bench: Bench): void => {
  const { bodies, review, on } = bench;
  const write = () => bench.world.forge.write;
  const give = (verdict: ForgeVerdict, head = bench.world.head): Promise<VerdictRefusal | null> =>
    write().giveVerdict(bench.world.changeRequest, { verdict, head, body: text(`it is ${verdict}`) }, signal);
  const own = async () => write().fetchOwnVerdict(bench.world.changeRequest, signal);
  const withdraw = (...which: readonly ForgeVerdict[]) =>
    write().withdrawVerdicts(bench.world.changeRequest, which, signal);
  const stands = async (): Promise<ForgeVerdict | null> => {
    const found = await own();
    return found === null || found.dismissed ? null : found.verdict;
  };

  describe('verdicts', () => {
    it('are none at first, and taking back none is no failure', async () => {
      expect(await own()).toBeNull();
      expect(await withdraw('approved', 'changes_requested')).toBeNull();
      expect(bench.world.decided()).toEqual([]);
    });

    it.each(['approved', 'changes_requested'] as const)('%s stand once they are given', async (verdict) => {
      await bench.world.people.askBot();
      expect(await give(verdict)).toBeNull();
      const found = await own();
      expect([null, bench.world.head]).toContain(found?.head);
      expect(found).toMatchObject({ verdict, dismissed: false, askedAgain: false });
      expect(bench.world.decided()).toEqual([{ by: bench.world.bot.login, verdict }]);
    });

    it('replace each other: the newest counts', async () => {
      await bench.world.people.askBot();
      await give('changes_requested');
      await give('approved');
      expect(bench.world.decided()).toEqual([{ by: bench.world.bot.login, verdict: 'approved' }]);
      await give('changes_requested');
      expect(await stands()).toBe('changes_requested');
      expect(bench.world.decided()).toEqual([{ by: bench.world.bot.login, verdict: 'changes_requested' }]);
    });

    it.each(['approved', 'changes_requested'] as const)('%s can be taken back, once or twice', async (verdict) => {
      await bench.world.people.askBot();
      await give(verdict);
      expect([await withdraw(verdict), await withdraw(verdict)]).toEqual([null, null]);
      expect(await stands()).toBeNull();
      expect(bench.world.decided()).toEqual([]);
    });

    it.each([
      ['an admin', true],
      ['a writer', false],
    ] as const)('that were replaced do not come back when the newer one is taken back by %s', async (_who, may) => {
      await bench.world.people.mayManageHooks(may);
      await bench.world.people.askBot();
      await give('changes_requested');
      await give('approved');
      expect(await withdraw('approved')).toBeNull();
      expect(await stands()).toBeNull();
      expect(bench.world.decided()).toEqual([]);
      expect(await bench.world.forge.read.fetchApprovers(bench.world.changeRequest, signal)).toEqual([]);
    });

    it.each(['approved', 'changes_requested'] as const)(
      '%s count for nothing once the bot is asked again',
      async (verdict) => {
        await bench.world.people.askBot();
        await give(verdict);
        await bench.world.people.askBot();
        const found = await own();
        // Where being asked changes nothing, it stands as it did.
        if (!bench.world.can.voidByAsking) return;
        expect(found).toMatchObject({ verdict, askedAgain: true });
        expect(bench.world.decided()).toEqual([]);
        expect(await bench.world.forge.read.fetchApprovers(bench.world.changeRequest, signal)).toEqual([]);
        await give(verdict);
        expect(await own()).toMatchObject({ verdict, askedAgain: false });
        expect(bench.world.decided()).toEqual([{ by: bench.world.bot.login, verdict }]);
      },
    );

    it('stay when only the other kind is taken back', async () => {
      await bench.world.people.askBot();
      await give('changes_requested');
      expect(await withdraw('approved')).toBeNull();
      expect(await stands()).toBe('changes_requested');
    });

    it('of others are neither seen nor touched', async () => {
      await bench.world.people.approve(bench.world.owner);
      expect(await own()).toBeNull();
      await give('approved');
      await withdraw('approved', 'changes_requested');
      expect(bench.world.decided()).toEqual([{ by: bench.world.owner.login, verdict: 'approved' }]);
    });

    it('are never given by merely reviewing', async () => {
      expect(await review([on('added', 'a finding')])).toBeNull();
      expect(bench.world.decided()).toEqual([]);
    });

    it('may be carried by a review, which then says so, and taking them back leaves its comments', async () => {
      await bench.world.people.askBot();
      const carried = await review([on('added', 'a finding')], 'summary', 'changes_requested');
      expect(carried).toBe(bench.world.can.carryVerdict ? 'changes_requested' : null);
      expect(await stands()).toBe(carried);
      const before = await bodies();
      expect(await withdraw('changes_requested')).toBeNull();
      expect(bench.world.decided()).toEqual([]);
      expect(await bodies()).toEqual(before);
    });
  });
};
