/**
 * The way of a slot's work back to where the loop was started: fast-forward where nothing else came back meanwhile, else
 * a merge. What does not go cleanly is undone, and branch and work tree stay for a human.
 */
import { findHomeNow, goesOnFrom, type Home, nameOf } from './home.ts';
import { failureOf, HOOKS_TIMEOUT_MS, type Repository } from './repository.ts';
import type { Task } from './task.ts';
import { removeSlotTree, type SlotTree } from './worktree.ts';

/** `changed`: it had commits, or left something to commit. */
export type BroughtBack =
  | { readonly kind: 'done'; readonly changed: boolean }
  | { readonly kind: 'kept'; readonly reason: string };

type Way = { readonly repository: Repository; readonly tree: SlotTree; readonly signal: AbortSignal };

const messageOf = (task: Task | null): string =>
  task === null ? 'Task chosen by the agent' : `${task.title}\n\nTask: ${task.id}`;

/** What the agent left without a commit becomes one. Null when that went well; else why not. */
const commitRest = async ({ repository, tree, signal }: Way, task: Task | null): Promise<string | null> => {
  const call = { cwd: tree.path, timeoutMs: HOOKS_TIMEOUT_MS };
  if ((await repository.ask(['status', '--porcelain'], call, signal)) === '') return null;
  for (const args of [
    ['add', '--all', '--', ':/'],
    ['commit', '--quiet', '-m', messageOf(task)],
  ]) {
    const result = await repository.try(args, call, signal);
    if (result.exitCode !== 0) return failureOf(args, result);
  }
  return null;
};

/** An agent may work on a branch of its own: the slot's branch follows to where its tree stands. Null: it does. */
const followAgent = async ({ repository, tree, signal }: Way, head: string): Promise<string | null> => {
  const ref = `refs/heads/${tree.branch}`;
  const known = await repository.try(['rev-parse', '--quiet', '--verify', ref], {}, signal);
  const tip = known.exitCode === 0 ? known.stdout.toString('utf8').trim() : null;
  for (const older of [tree.base, tip ?? tree.base]) {
    if (!(await goesOnFrom(repository, { older, newer: head }, signal)))
      return 'its tree does not go on from all that was committed for it';
  }
  if (tip !== head) await repository.ask(['branch', '--force', tree.branch, head], {}, signal);
  return null;
};

/** In `cwd`, whose branch or commit gets the work. A merge that does not go through is taken back. */
const merge = async ({ repository, tree, signal }: Way, cwd: string): Promise<string | null> => {
  const args = ['merge', '--quiet', '--no-edit', '--ff', '-m', `Merge branch '${tree.branch}'`, tree.branch];
  const merged = await repository.try(args, { cwd, timeoutMs: HOOKS_TIMEOUT_MS }, signal);
  if (merged.exitCode === 0) return null;
  if (await isMerging(repository, cwd, signal)) {
    const conflicts = await repository.ask(['diff', '--name-only', '--diff-filter=U'], { cwd }, signal);
    await repository.ask(['merge', '--abort'], { cwd }, signal);
    if (conflicts !== '') return `it conflicts with what ${nameOf(tree.home)} holds by now`;
  }
  const dirty = await repository.ask(['status', '--porcelain'], { cwd }, signal);
  return `${failureOf(args, merged)}${dirty === '' ? '' : ' (your own uncommitted changes may be in the way)'}`;
};

const isMerging = async (repository: Repository, cwd: string, signal: AbortSignal): Promise<boolean> =>
  (await repository.try(['rev-parse', '--quiet', '--verify', 'MERGE_HEAD'], { cwd }, signal)).exitCode === 0;

/** The user stands at home. */
const comeHome = async (way: Way): Promise<string | null> => {
  const { repository, tree, signal } = way;
  if (await isMerging(repository, repository.root, signal)) return 'a merge of yours is under way';
  const forward = ['merge', '--quiet', '--ff-only', tree.branch];
  const { exitCode } = await repository.try(forward, { timeoutMs: HOOKS_TIMEOUT_MS }, signal);
  return exitCode === 0 ? null : merge(way, repository.root);
};

/**
 * The user stands elsewhere: where histories have parted they are joined in the slot's own tree; then home is moved
 * forward to it. Git refuses that for a branch that somebody has checked out, or that has moved meanwhile.
 */
const sendHome = async (way: Way, ref: string, tip: string): Promise<string | null> => {
  const { repository, tree, signal } = way;
  const call = { cwd: tree.path, timeoutMs: HOOKS_TIMEOUT_MS };
  if (!(await goesOnFrom(repository, { older: tip, newer: tree.branch }, signal))) {
    await repository.ask(['checkout', '--quiet', '--detach', tip], call, signal);
    const reason = await merge(way, tree.path);
    if (reason !== null) return backOnBranch(way, reason);
  }
  const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '.', `HEAD:${ref}`];
  const moved = await repository.try(args, call, signal);
  return moved.exitCode === 0 ? null : backOnBranch(way, failureOf(args, moved));
};

const backOnBranch = async ({ repository, tree, signal }: Way, reason: string): Promise<string> => {
  const call = { cwd: tree.path, timeoutMs: HOOKS_TIMEOUT_MS };
  await repository.ask(['checkout', '--quiet', tree.branch], call, signal);
  return reason;
};

const deliver = async (way: Way, home: Home): Promise<string | null> => {
  const now = await findHomeNow(way.repository, home, way.signal);
  if (now === null) return `${nameOf(home)} is gone`;
  if (now.isCheckedOut) return comeHome(way);
  if (home.kind === 'branch') return sendHome(way, home.ref, now.tip);
  return `${nameOf(home)}, at which the loop began on no branch, is checked out no more`;
};

/** Contract: one at a time per repository. @throws LoopError when git fails in another way; the tree stays then */
export const bringBack = async (
  repository: Repository,
  { tree, task }: { readonly tree: SlotTree; readonly task: Task | null },
  signal: AbortSignal,
): Promise<BroughtBack> => {
  const way = { repository, tree, signal };
  const kept = (reason: string): BroughtBack => ({
    kind: 'kept',
    reason: `${reason}; the work is in ${tree.path}, on ${tree.branch}`,
  });
  const uncommitted = await commitRest(way, task);
  if (uncommitted !== null) return kept(uncommitted);
  const head = await repository.ask(['rev-parse', 'HEAD'], { cwd: tree.path }, signal);
  const reason = (await followAgent(way, head)) ?? (head === tree.base ? null : await deliver(way, tree.home));
  if (reason !== null) return kept(reason);
  await removeSlotTree(repository, tree, signal);
  return { kind: 'done', changed: head !== tree.base };
};
