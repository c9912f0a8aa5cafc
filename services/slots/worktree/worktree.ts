/** A slot's own work tree on its own branch, which begins where the loop was started. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LoopError } from '../settings/errors.ts';
import { findHomeNow, type Home, nameOf } from './home.ts';
import { type Baseline, takeBaseline } from './look.ts';
import { HOOKS_TIMEOUT_MS, type Repository } from './repository.ts';
import { listRefs, listStashes, type Refs } from './traces.ts';

export type SlotTree = {
  readonly path: string;
  readonly branch: string;
  /** The commit at which it began. */
  readonly base: string;
  /** Where its work is to come back to. */
  readonly home: Home;
  /** Where git keeps what belongs to this tree alone: its index, its HEAD, its submodules. It goes with the tree. */
  readonly gitDirectory: string;
  /** What was in the tree beside the commit when it began. */
  readonly baseline: Baseline;
  /** Branches and tags of the repository when it began, its own branch among them. */
  readonly refs: Refs;
  /** Commits of the stash when it began. */
  readonly stashes: ReadonlySet<string>;
};

/** Below the repository, and ignored by it: what is kept after a failure is easy to find. */
export const loopFolder = (root: string): string => join(root, '.fixpoint', 'loop');
export const treesFolder = (root: string): string => join(loopFolder(root), 'trees');
export const BRANCH_PREFIX = 'fixpoint/loop/';

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
  await prepareLoopFolder(repository.root);
  const path = join(treesFolder(repository.root), name);
  const branch = `${BRANCH_PREFIX}${name}`;
  const now = await findHomeNow(repository, home, signal);
  if (now === null) throw new LoopError('LOOP_REPOSITORY', `${nameOf(home)} is gone`);
  const args = ['worktree', 'add', '--quiet', '-b', branch, path, now.tip];
  await repository.ask(args, { timeoutMs: HOOKS_TIMEOUT_MS }, signal);
  return {
    path,
    branch,
    base: now.tip,
    home,
    gitDirectory: await repository.ask(['rev-parse', '--absolute-git-dir'], { cwd: path }, signal),
    baseline: await takeBaseline(repository, path, signal),
    refs: await listRefs(repository, signal),
    stashes: new Set((await listStashes(repository, signal)).map(({ commit }) => commit)),
  };
};

/**
 * Contract: a look has shown that nothing in the tree is lost. `tip`: the commit that came back; the branch is kept
 * where it is at another one. @throws LoopError when git refuses: the tree is locked, or the branch checked out elsewhere
 */
export const removeSlotTree = async (
  repository: Repository,
  { tree, tip }: { readonly tree: SlotTree; readonly tip: string },
  signal: AbortSignal,
): Promise<void> => {
  const at = await repository.ask(['rev-parse', '--verify', `refs/heads/${tree.branch}`], {}, signal);
  if (at !== tip) throw new LoopError('LOOP_REPOSITORY', `${tree.branch} is not at the commit that was brought back`);
  await repository.ask(['worktree', 'remove', '--force', tree.path], {}, signal);
  await repository.ask(['branch', '--quiet', '-D', tree.branch], {}, signal);
};
