import type { FixBrief } from '../../../shared/rounds/model/fix-brief.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';

/** Returns all trees that were reviewed or that an earlier fix pushed. Heads that the forge no longer provides are skipped. */
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
