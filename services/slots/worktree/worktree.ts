/** Creates a slot's own work tree on its own branch, at the commit where the loop was started. */
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
  readonly base: string;
  readonly home: Home;
  /** Git's folder for this work tree alone (index, HEAD, submodules). Git removes it together with the work tree. */
  readonly gitDirectory: string;
  /** Files in the new work tree that are not in the commit of the work tree. */
  readonly baseline: Baseline;
  /** Branches and tags of the repository when the slot began, including the slot's own branch. */
  readonly refs: Refs;
  readonly stashes: ReadonlySet<string>;
};

/** The folder is inside the repository but ignored by git, so that work kept after a failure is easy to find. */
export const loopFolder = (root: string): string => join(root, '.fixpoint', 'loop');
export const treesFolder = (root: string): string => join(loopFolder(root), 'trees');
export const BRANCH_PREFIX = 'fixpoint/loop/';

export const prepareLoopFolder = async (root: string): Promise<string> => {
  const folder = loopFolder(root);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, '.gitignore'), '*\n');
  return folder;
};

/**
 * `name` is unique in the repository (run, iteration, slot). @throws LoopError when the home no longer exists, or git
 * fails
 */
export const addSlotTree = async (
  repository: Repository,
  { name, home }: { readonly name: string; readonly home: Home },
  signal: AbortSignal,
): Promise<SlotTree> => {
  await prepareLoopFolder(repository.root);
  const path = join(treesFolder(repository.root), name);
  const branch = `${BRANCH_PREFIX}${name}`;
  const now = await findHomeNow(repository, home, signal);
  if (now === null) throw new LoopError('LOOP_REPOSITORY', `${nameOf(home)} no longer exists`);
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
 * Contract: `lookAtTree` found nothing that would be lost. `tip` is the merged commit. A branch at another commit is kept.
 * @throws LoopError when git refuses: the work tree is locked, or the branch is checked out elsewhere
 */
export const removeSlotTree = async (
  repository: Repository,
  { tree, tip }: { readonly tree: SlotTree; readonly tip: string },
  signal: AbortSignal,
): Promise<void> => {
  const at = await repository.ask(['rev-parse', '--verify', `refs/heads/${tree.branch}`], {}, signal);
  if (at !== tip) throw new LoopError('LOOP_REPOSITORY', `${tree.branch} is not at the commit that was merged back`);
  await repository.ask(['worktree', 'remove', '--force', tree.path], {}, signal);
  await repository.ask(['branch', '--quiet', '-D', tree.branch], {}, signal);
};
