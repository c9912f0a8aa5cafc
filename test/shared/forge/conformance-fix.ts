import { describe, expect, it } from 'vitest';
import { type Bench, signal, text } from './conformance-bench.ts';

/** What only the decision about a fix asks: the source branch, and who has approved. */
export const describeFix = (bench: Bench): void => {
  const read = () => bench.world.forge.read;
  const branch = async (name: string) => read().fetchBranch(bench.world.changeRequest.projectId, name, signal);
  const approvers = async () => read().fetchApprovers(bench.world.changeRequest, signal);

  describe('a branch', () => {
    it('is told with what keeps it from being pushed to', async () => {
      expect(await branch(bench.world.sourceBranch)).toMatchObject({
        isProtected: false,
        isDefault: false,
        head: bench.world.head,
      });
      expect(await branch(bench.world.targetBranch)).toMatchObject({ isDefault: true });
      await bench.world.people.protect(bench.world.targetBranch);
      expect(await branch(bench.world.targetBranch)).toMatchObject({ isProtected: true, isDefault: true });
    });

    it('that is not there is null, whatever its name is', async () => {
      expect(await branch('gone')).toBeNull();
      expect(await branch('gone/and ?#%2e%2e away')).toBeNull();
    });
  });

  describe('approvals', () => {
    it('are none at first', async () => {
      expect(await approvers()).toEqual([]);
    });

    it('are those that stand, with who gave them', async () => {
      const { owner, people, changeRequest, head, forge } = bench.world;
      await people.approve(owner);
      expect(await approvers()).toEqual([owner]);
      await people.askBot();
      await forge.write.giveVerdict(changeRequest, { verdict: 'approved', head, body: text('fine') }, signal);
      const both = new Set([owner.id, bench.world.bot.id]);
      expect(new Set((await approvers()).map(({ id }) => id))).toEqual(both);
      await forge.write.withdrawVerdicts(changeRequest, ['approved'], signal);
      expect(await approvers()).toEqual([owner]);
    });
  });
};
