import type { FixBrief } from '../../../shared/rounds/model/fix-brief.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';

/** Every tree that was reviewed or pushed by a fix before. Heads that the forge does not give out any more are passed over. */
export const seenTrees = async (
  revisions: Revisions,
  brief: Pick<FixBrief, 'head' | 'reviewedHeads' | 'seenTrees'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const trees = new Set(brief.seenTrees);
  for (const head of new Set([...brief.reviewedHeads, brief.head])) {
    if (await revisions.exists(head, signal)) trees.add(await revisions.treeOf(head, signal));
  }
  return trees;
};
