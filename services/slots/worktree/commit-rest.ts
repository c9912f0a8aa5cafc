/** Commits what an agent left uncommitted, unless the state of its work tree makes that unsafe. */
import { join } from 'node:path';
import { isFile, isFolder } from './kinds.ts';
import { operationUnderWay } from './look.ts';
import { type Gitlink, holdsOwnCommits, isPopulated, listGitlinks } from './nested.ts';
import { failureText, HOOKS_TIMEOUT_MS, type Repository } from './repository.ts';
import type { Task } from '../task/task.ts';
import type { SlotTree } from './worktree.ts';

type Way = { readonly repository: Repository; readonly tree: SlotTree; readonly signal: AbortSignal };

/** Returns null when the work tree is intact. An agent may delete the work tree or turn it into another repository. */
const whyNoTree = async ({ repository, tree, signal }: Way): Promise<string | null> => {
  const { path, gitDirectory } = tree;
  if (!(await isFolder(path))) return 'the work tree is gone, and only commits are left';
  if (!(await isFile(join(path, '.git')))) return 'the folder is no longer a worktree of this repository';
  const found = await repository.try(['rev-parse', '--absolute-git-dir'], { cwd: path }, signal);
  const isSame = found.exitCode === 0 && found.stdout.toString('utf8').trim() === gitDirectory;
  return isSame ? null : 'the folder is no longer a worktree of this repository';
};

/** Returns null when HEAD is a commit and is not on a branch of the user. */
const whyNotHead = async ({ repository, tree, signal }: Way): Promise<string | null> => {
  const call = { cwd: tree.path };
  const head = await repository.try(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], call, signal);
  if (head.exitCode !== 0) return 'the work tree is on a branch without a commit';
  const on = await repository.try(['symbolic-ref', '--quiet', 'HEAD'], call, signal);
  const ref = on.stdout.toString('utf8').trim();
  if (ref === `refs/heads/${tree.branch}` || !tree.refs.has(ref)) return null;
  return `the work tree is on ${ref.replace(/^refs\/heads\//, '')}, a branch that the agent did not create`;
};

export const whyNotTaken = async (way: Way): Promise<string | null> => {
  const { repository, tree, signal } = way;
  const reason = (await whyNoTree(way)) ?? (await whyNotHead(way));
  if (reason !== null) return reason;
  const operation = await operationUnderWay(tree.gitDirectory);
  if (operation !== null) return `${operation} is in progress in the work tree`;
  const unmerged = await repository.ask(['ls-files', '--unmerged'], { cwd: tree.path }, signal);
  return unmerged === '' ? null : 'the work tree has unresolved conflicts';
};

/** Keeps lines that begin with the comment character (`#` or the user's own), because a title may begin with it. */
const CLEANUP = '--cleanup=whitespace';

const messageOf = (task: Task | null): string => {
  if (task === null) return 'Task chosen by the agent';
  return task.title.trim() === '' ? `Task ${task.id}` : `${task.title}\n\nTask: ${task.id}`;
};

const pathsOfSubmodules = async ({ repository, tree, signal }: Way): Promise<ReadonlySet<string>> => {
  const args = ['config', '-z', '--file', '.gitmodules', '--get-regexp', String.raw`^submodule\..*\.path$`];
  const { stdout } = await repository.try(args, { cwd: tree.path }, signal);
  const entries = stdout.toString('utf8').split('\0');
  return new Set(entries.map((entry) => entry.slice(entry.indexOf('\n') + 1)));
};

/** A commit that points into a nested repository is useless when only this work tree has that repository. */
const whyNotLink = async (way: Way, { path }: Gitlink, submodules: ReadonlySet<string>): Promise<string | null> => {
  const { repository, tree, signal } = way;
  if (!(await isPopulated(tree.path, path))) return null;
  if (!submodules.has(path)) return `${path} is a nested repository, not a submodule`;
  const deps = { repository, doomed: [tree.path, tree.gitDirectory], signal };
  if (!(await holdsOwnCommits(deps, join(tree.path, path)))) return null;
  return `the submodule ${path} has commits that none of its remotes has; push them, because they exist only in the worktree`;
};

const whyNotLinks = async (way: Way): Promise<string | null> => {
  const { repository, tree, signal } = way;
  const submodules = await pathsOfSubmodules(way);
  for (const link of await listGitlinks({ repository, signal }, tree.path)) {
    const reason = await whyNotLink(way, link, submodules);
    if (reason !== null) return reason;
  }
  return null;
};

export const commitRest = async (way: Way, task: Task | null): Promise<string | null> => {
  const { repository, tree, signal } = way;
  const call = { cwd: tree.path, timeoutMs: HOOKS_TIMEOUT_MS };
  const status = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=none'];
  if ((await repository.ask(status, call, signal)) !== '') {
    const add = ['add', '--all', '--sparse', '--', ':/'];
    const added = await repository.try(add, call, signal);
    if (added.exitCode !== 0) return failureText(add, added);
  }
  const reason = await whyNotLinks(way);
  if (reason !== null) return reason;
  const staged = await repository.try(
    ['diff', '--cached', '--quiet', '--no-ext-diff', '--ignore-submodules=none'],
    call,
    signal,
  );
  if (staged.exitCode === 0) return null;
  const commit = ['commit', '--quiet', CLEANUP, '-m', messageOf(task)];
  const committed = await repository.try(commit, call, signal);
  return committed.exitCode === 0 ? null : failureText(commit, committed);
};
