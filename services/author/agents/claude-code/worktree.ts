import type { Protect } from '../../../../shared/agent/present-result.ts';
import { type CleanedTree, cleanTree } from '../../../../shared/claude-code/clean-tree.ts';
import { REDACTED } from '../../../../shared/text/redact.ts';
import type { AuthorFile } from '../../change/decide-change.ts';
import {
  changesSince,
  makeWritable,
  type TreeSnapshot,
  SNAPSHOT_LIMITS,
  takeTreeSnapshot,
} from '../../change/snapshot.ts';

export type CliWorktree = { readonly root: string; readonly before: TreeSnapshot; readonly cleaned: CleanedTree };

/** Cleans the tree before it takes the snapshot, so that changes are compared with what the model saw. */
export const openCliWorktree = async (
  root: string,
  protect: Protect,
  signal: AbortSignal,
): Promise<CliWorktree | 'too_many'> => {
  const cleaned = await cleanTree(root, protect, signal);
  const taken = await takeTreeSnapshot(root, SNAPSHOT_LIMITS, signal);
  if (taken.kind === 'too_many') return 'too_many';
  await makeWritable(root, taken.snapshot);
  return { root, before: taken.snapshot, cleaned };
};

export type TakenBack =
  | { readonly kind: 'changes'; readonly changes: readonly AuthorFile[] }
  | { readonly kind: 'too_many' }
  /**
   * The model changed a file of which it saw a redacted or marked copy. Its version lacks the removed text or contains
   * marks.
   */
  | { readonly kind: 'redacted' };

export const takeBack = async ({ root, before, cleaned }: CliWorktree, signal: AbortSignal): Promise<TakenBack> => {
  const now = await takeTreeSnapshot(root, SNAPSHOT_LIMITS, signal);
  if (now.kind === 'too_many') return now;
  const changes = await changesSince(root, { before, after: now.snapshot }, SNAPSHOT_LIMITS);
  return changes.some((change) => isRedacted(change, cleaned)) ? { kind: 'redacted' } : { kind: 'changes', changes };
};

const isRedacted = (change: AuthorFile, { altered, marked }: CleanedTree): boolean =>
  altered.has(change.path) ||
  (change.kind === 'write' && !marked.has(change.path) && Buffer.from(change.content).includes(REDACTED));
