/** Finds work trees and branches that a run of the loop did not remove, with the command that removes each. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { exists, isFile } from './kinds.ts';
import type { Repository } from './repository.ts';
import { BRANCH_PREFIX, treesFolder } from './worktree.ts';

export type LeftOver = {
  readonly path: string | null;
  readonly branch: string | null;
  readonly removeWith: string;
};

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

const isOfRun = (name: string, runId: string): boolean => name.startsWith(`${runId}-`);

type Registered = { readonly path: string; readonly isLocked: boolean };

const listRegistered = async (repository: Repository, signal: AbortSignal): Promise<readonly Registered[]> => {
  const listed = await repository.ask(['worktree', 'list', '--porcelain', '-z'], {}, signal);
  return listed.split('\0\0').flatMap((record) => {
    const lines = record.split('\0');
    const path = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    return path === undefined ? [] : [{ path, isLocked: lines.some((line) => /^locked\b/.test(line)) }];
  });
};

const listBranches = async (repository: Repository, signal: AbortSignal): Promise<readonly string[]> => {
  const args = ['for-each-ref', '--format=%(refname:lstrip=4)', `refs/heads/${BRANCH_PREFIX}`];
  return (await repository.ask(args, {}, signal)).split('\n').filter((name) => name !== '');
};

const foldersIn = async (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

type Parts = { readonly root: string; readonly path: string; readonly registered: Registered | undefined };

const removalOf = async ({ root, path, registered }: Parts): Promise<readonly string[]> => {
  const git = `git -C ${quote(root)}`;
  const isTree = registered !== undefined && (!(await exists(path)) || (await isFile(join(path, '.git'))));
  const force = registered?.isLocked === true ? '--force --force' : '--force';
  if (isTree) return [`${git} worktree remove ${force} ${quote(path)}`];
  return [`rm -rf ${quote(path)}`, ...(registered === undefined ? [] : [`${git} worktree prune`])];
};

/** Finds the left-overs of one run. Reads only the repository, so it works after a crash. @throws LoopError when git fails */
export const findLeftOvers = async (
  repository: Repository,
  runId: string,
  signal: AbortSignal,
): Promise<readonly LeftOver[]> => {
  const { root } = repository;
  const trees = await listRegistered(repository, signal);
  const branches = (await listBranches(repository, signal)).filter((name) => isOfRun(name, runId));
  const known = trees.map(({ path }) => basename(path));
  const names = new Set(
    [...known, ...branches, ...(await foldersIn(treesFolder(root)))].filter((one) => isOfRun(one, runId)),
  );
  const found = [...names].toSorted().map(async (name): Promise<LeftOver> => {
    const registered = trees.find(({ path }) => basename(path) === name);
    const path = registered?.path ?? join(treesFolder(root), name);
    const hasPath = registered !== undefined || (await exists(path));
    const branch = branches.includes(name) ? `${BRANCH_PREFIX}${name}` : null;
    const commands = [
      ...(hasPath ? await removalOf({ root, path, registered }) : []),
      ...(branch === null ? [] : [`git -C ${quote(root)} branch -D ${quote(branch)}`]),
    ];
    return { path: hasPath ? path : null, branch, removeWith: commands.join(' && ') };
  });
  return Promise.all(found);
};
