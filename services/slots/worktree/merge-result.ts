/**
 * Merges a slot's work back to where the loop was started: by fast-forward, or by a merge commit if other work was
 * merged first. A merge that fails is aborted. Its branch and work tree are kept for the user.
 */
import { AppError } from '../../../shared/errors.ts';
import { commitRest, whyNotTaken } from './commit-rest.ts';
import { findHomeNow, goesOnFrom, type Home, nameOf } from './home.ts';
import { exists } from './kinds.ts';
import { type Found, lookAtTree } from './look.ts';
import { failureText, HOOKS_TIMEOUT_MS, type Repository, type Setting } from './repository.ts';
import type { Task } from '../task/task.ts';
import { describeTraces } from './traces.ts';
import { BRANCH_PREFIX, removeSlotTree, type SlotTree } from './worktree.ts';

export type MergeResult =
  | {
      readonly kind: 'done';
      readonly changed: boolean;
      /** What was left in the work tree, and why the work tree was kept. */
      readonly notes: readonly string[];
    }
  | { readonly kind: 'kept'; readonly reason: string };

type Way = { readonly repository: Repository; readonly tree: SlotTree; readonly signal: AbortSignal };

/** Moves the slot's branch to the work tree's HEAD, because an agent may work on another branch. Returns null on success. */
const followAgent = async ({ repository, tree, signal }: Way, head: string): Promise<string | null> => {
  const ref = `refs/heads/${tree.branch}`;
  const known = await repository.try(['rev-parse', '--quiet', '--verify', ref], {}, signal);
  const tip = known.exitCode === 0 ? known.stdout.toString('utf8').trim() : null;
  for (const older of [tree.base, tip ?? tree.base]) {
    if (!(await goesOnFrom(repository, { older, newer: head }, signal)))
      return 'the work tree lacks commits of the task';
  }
  if (tip === head) return null;
  const args = ['branch', '--force', tree.branch, head];
  const moved = await repository.try(args, {}, signal);
  return moved.exitCode === 0 ? null : failureText(args, moved);
};

/** Overrides the user's merge options (`branch.NAME.mergeOptions`), which could prevent the commit. */
const mergeSettings = ({ tree }: Way): readonly Setting[] =>
  tree.home.kind === 'branch' ? [[`branch.${nameOf(tree.home)}.mergeOptions`, '']] : [];
const MERGE = ['merge', '--quiet', '--no-edit', '--commit', '--no-squash', '--no-autostash', '--cleanup=whitespace'];

const merge = async (way: Way, cwd: string): Promise<string | null> => {
  const { repository, tree, signal } = way;
  const args = [...MERGE, '--ff', '-m', `Merge branch '${tree.branch}'`, tree.branch];
  const call = { cwd, timeoutMs: HOOKS_TIMEOUT_MS, config: mergeSettings(way) };
  const merged = await repository.try(args, call, signal);
  if (merged.exitCode === 0) return null;
  if (await isMerging(repository, cwd, signal)) {
    const conflicts = await repository.ask(['diff', '--name-only', '--diff-filter=U'], { cwd }, signal);
    await repository.ask(['merge', '--abort'], { cwd }, signal);
    if (conflicts !== '') return `the work conflicts with the current state of ${nameOf(tree.home)}`;
  }
  const dirty = await repository.ask(['status', '--porcelain'], { cwd }, signal);
  return `${failureText(args, merged)}${dirty === '' ? '' : ' (your own uncommitted changes may be in the way)'}`;
};

const isMerging = async (repository: Repository, cwd: string, signal: AbortSignal): Promise<boolean> =>
  (await repository.try(['rev-parse', '--quiet', '--verify', 'MERGE_HEAD'], { cwd }, signal)).exitCode === 0;

/** Merges in the user's own work tree, which has the branch checked out. */
const comeHome = async (way: Way): Promise<string | null> => {
  const { repository, tree, signal } = way;
  if (await isMerging(repository, repository.root, signal)) return 'you have a merge in progress';
  const forward = [...MERGE, '--ff-only', tree.branch];
  const call = { timeoutMs: HOOKS_TIMEOUT_MS, config: mergeSettings(way) };
  const { exitCode } = await repository.try(forward, call, signal);
  return exitCode === 0 ? null : merge(way, repository.root);
};

const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-prune',
  '--no-prune-tags',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
];

/**
 * Used when the user does not have the branch checked out: merges in the slot's work tree if the histories diverged, then
 * fast-forwards the branch. Git refuses if the branch is checked out elsewhere or has moved in the meantime.
 */
const sendHome = async (way: Way, ref: string, tip: string): Promise<string | null> => {
  const { repository, tree, signal } = way;
  const call = { cwd: tree.path, timeoutMs: HOOKS_TIMEOUT_MS };
  if (!(await goesOnFrom(repository, { older: tip, newer: tree.branch }, signal))) {
    await repository.ask(['checkout', '--quiet', '--detach', tip], call, signal);
    const reason = await merge(way, tree.path);
    if (reason !== null) return backOnBranch(way, reason);
  }
  const args = [...FETCH, '.', `HEAD:${ref}`];
  // This fetch reads the repository itself as a file, so the user's protocol restrictions must not apply.
  const own = { config: [['protocol.file.allow', 'always'] as const], env: { GIT_ALLOW_PROTOCOL: 'file' } };
  const moved = await repository.try(args, { ...call, ...own }, signal);
  return moved.exitCode === 0 ? null : backOnBranch(way, failureText(args, moved));
};

const backOnBranch = async ({ repository, tree, signal }: Way, reason: string): Promise<string> => {
  const call = { cwd: tree.path, timeoutMs: HOOKS_TIMEOUT_MS };
  await repository.ask(['checkout', '--quiet', tree.branch], call, signal);
  return reason;
};

const send = async (way: Way, home: Home): Promise<string | null> => {
  const now = await findHomeNow(way.repository, home, way.signal);
  if (now === null) return `${nameOf(home)} no longer exists`;
  if (now.isCheckedOut) return comeHome(way);
  if (home.kind === 'branch') return sendHome(way, home.ref, now.tip);
  return `${nameOf(home)}, where the loop started without a branch, is no longer checked out`;
};

/** Checks the result. Even if git reports success, only commits reachable from the home count as merged. */
const deliver = async (way: Way, head: string): Promise<string | null> => {
  const { repository, tree, signal } = way;
  const reason = await send(way, tree.home);
  if (reason !== null) return reason;
  const now = await findHomeNow(repository, tree.home, signal);
  const isThere = now !== null && (await goesOnFrom(repository, { older: head, newer: now.tip }, signal));
  return isThere ? null : `git reported a merge, but ${nameOf(tree.home)} does not contain the work`;
};

const listOf = (paths: readonly string[], limit = 10): string =>
  paths.length <= limit ? paths.join(', ') : `${paths.slice(0, limit).join(', ')} and ${paths.length - limit} more`;

const remove = async ({ repository, tree, signal }: Way, tip: string, { ignored }: Found): Promise<string | null> => {
  if (ignored.length > 0) return `ignored files were not merged and remain in ${tree.path}: ${listOf(ignored)}`;
  try {
    await removeSlotTree(repository, { tree, tip }, signal);
    return null;
  } catch (cause) {
    signal.throwIfAborted();
    return `the work tree could not be removed: ${cause instanceof AppError ? cause.message : String(cause)}`;
  }
};

const filesOf = async ({ repository, signal }: Way, commit: string): Promise<string> =>
  repository.ask(['rev-parse', `${commit}^{tree}`], {}, signal);

type Ready = { readonly head: string; readonly found: Found };

/** Commits everything that the agent left on the slot's branch. Returns a string, the reason, if that was not possible. */
const makeReady = async (way: Way, task: Task | null): Promise<Ready | string> => {
  const { repository, tree, signal } = way;
  const refused = (await whyNotTaken(way)) ?? (await commitRest(way, task));
  if (refused !== null) return refused;
  const head = await repository.ask(['rev-parse', 'HEAD'], { cwd: tree.path }, signal);
  const found = await lookAtTree(way);
  if (found.uncommitted.length > 0)
    return `the work tree has files that cannot be committed: ${listOf(found.uncommitted)}`;
  return (await followAgent(way, head)) ?? { head, found };
};

/** Contract: one call at a time per repository. @throws LoopError on another git failure; the work tree is then kept */
export const mergeResult = async (
  repository: Repository,
  { tree, task }: { readonly tree: SlotTree; readonly task: Task | null },
  signal: AbortSignal,
): Promise<MergeResult> => {
  const way = { repository, tree, signal };
  const kept = async (reason: string): Promise<MergeResult> => {
    const where = (await exists(tree.path)) ? `the work is in ${tree.path}, on` : 'look at';
    return { kind: 'kept', reason: `${reason}; ${where} ${tree.branch}` };
  };
  const ready = await makeReady(way, task);
  if (typeof ready === 'string') return kept(ready);
  const { head, found } = ready;
  const reason = head === tree.base ? null : await deliver(way, head);
  if (reason !== null) return kept(reason);
  const changed = (await filesOf(way, head)) !== (await filesOf(way, tree.base));
  const traces = await describeTraces(repository, { tree, isOfLoop: (name) => name.startsWith(BRANCH_PREFIX) }, signal);
  const stays = await remove(way, head, found);
  const isAll = !changed && found.empty.length > 0;
  const empty = !isAll ? [] : [`empty folders, which git does not keep: ${listOf(found.empty)}`];
  return { kind: 'done', changed, notes: [...(stays === null ? [] : [stays]), ...empty, ...traces] };
};
