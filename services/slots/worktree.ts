/**
 * A slot's own work tree on its own branch, and the way of its work back: fast-forward where nothing else came back
 * meanwhile, else a merge. A merge with conflicts is taken back; branch and work tree stay for a human.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from './repository.ts';
import type { Task } from './task.ts';

export type SlotTree = {
  readonly path: string;
  readonly branch: string;
  /** The commit at which it began. */
  readonly base: string;
};

export type BroughtBack = { readonly kind: 'done' } | { readonly kind: 'kept'; readonly reason: string };

/** Below the repository, and ignored by it: what is kept after a failure is easy to find. */
export const loopFolder = (root: string): string => join(root, '.fixpoint', 'loop');

export const prepareLoopFolder = async (root: string): Promise<string> => {
  const folder = loopFolder(root);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, '.gitignore'), '*\n');
  return folder;
};

/** `name` is unique in the repository: run, iteration and slot. */
export const addSlotTree = async (repository: Repository, name: string, signal: AbortSignal): Promise<SlotTree> => {
  const path = join(await prepareLoopFolder(repository.root), 'trees', name);
  const branch = `fixpoint/loop/${name}`;
  const base = await repository.ask(['rev-parse', 'HEAD'], {}, signal);
  await repository.ask(['worktree', 'add', '--quiet', '-b', branch, path, base], {}, signal);
  return { path, branch, base };
};

const messageOf = (task: Task | null): string =>
  task === null ? 'Task chosen by the agent' : `${task.title}\n\nTask: ${task.id}`;

/** What the agent left without a commit becomes one. */
const commitRest = async (
  repository: Repository,
  tree: SlotTree,
  task: Task | null,
  signal: AbortSignal,
): Promise<void> => {
  const cwd = tree.path;
  if ((await repository.ask(['status', '--porcelain'], { cwd }, signal)) === '') return;
  await repository.ask(['add', '--all', '--', ':/'], { cwd }, signal);
  await repository.ask(['commit', '--quiet', '-m', messageOf(task)], { cwd }, signal);
};

const merge = async (repository: Repository, tree: SlotTree, signal: AbortSignal): Promise<string | null> => {
  const forward = await repository.try(['merge', '--quiet', '--ff-only', tree.branch], {}, signal);
  if (forward.exitCode === 0) return null;
  const merged = await repository.try(['merge', '--quiet', '--no-edit', tree.branch], {}, signal);
  if (merged.exitCode === 0) return null;
  const unmerged = await repository.try(['rev-parse', '--quiet', '--verify', 'MERGE_HEAD'], {}, signal);
  if (unmerged.exitCode !== 0) return 'your own uncommitted changes are in the way';
  await repository.ask(['merge', '--abort'], {}, signal);
  return 'it conflicts with what came back before';
};

export const removeSlotTree = async (repository: Repository, tree: SlotTree, signal: AbortSignal): Promise<void> => {
  await repository.ask(['worktree', 'remove', '--force', tree.path], {}, signal);
  await repository.ask(['branch', '--quiet', '-D', tree.branch], {}, signal);
};

/** Contract: one at a time per repository. @throws LoopError when git fails otherwise; the tree stays then */
export const bringBack = async (
  repository: Repository,
  { tree, task }: { readonly tree: SlotTree; readonly task: Task | null },
  signal: AbortSignal,
): Promise<BroughtBack> => {
  await commitRest(repository, tree, task, signal);
  const reason = await merge(repository, tree, signal);
  if (reason !== null) return { kind: 'kept', reason: `${reason}; the work is on ${tree.branch} in ${tree.path}` };
  await removeSlotTree(repository, tree, signal);
  return { kind: 'done' };
};
