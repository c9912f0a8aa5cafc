/** A slot's own work tree on its own branch, which begins where the loop was started. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LoopError } from './errors.ts';
import { findHomeNow, type Home, nameOf } from './home.ts';
import { HOOKS_TIMEOUT_MS, type Repository } from './repository.ts';

export type SlotTree = {
  readonly path: string;
  readonly branch: string;
  /** The commit at which it began. */
  readonly base: string;
  /** Where its work is to come back to. */
  readonly home: Home;
};

/** Below the repository, and ignored by it: what is kept after a failure is easy to find. */
export const loopFolder = (root: string): string => join(root, '.fixpoint', 'loop');

export const prepareLoopFolder = async (root: string): Promise<string> => {
  const folder = loopFolder(root);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, '.gitignore'), '*\n');
  return folder;
};

/** `name` is unique in the repository: run, iteration and slot. @throws LoopError where the home is gone, or git fails */
export const addSlotTree = async (
  repository: Repository,
  { name, home }: { readonly name: string; readonly home: Home },
  signal: AbortSignal,
): Promise<SlotTree> => {
  const path = join(await prepareLoopFolder(repository.root), 'trees', name);
  const branch = `fixpoint/loop/${name}`;
  const now = await findHomeNow(repository, home, signal);
  if (now === null) throw new LoopError('LOOP_REPOSITORY', `${nameOf(home)} is gone`);
  const args = ['worktree', 'add', '--quiet', '-b', branch, path, now.tip];
  await repository.ask(args, { timeoutMs: HOOKS_TIMEOUT_MS }, signal);
  return { path, branch, base: now.tip, home };
};

export const removeSlotTree = async (repository: Repository, tree: SlotTree, signal: AbortSignal): Promise<void> => {
  await repository.ask(['worktree', 'remove', '--force', tree.path], {}, signal);
  await repository.ask(['branch', '--quiet', '-D', tree.branch], {}, signal);
};
