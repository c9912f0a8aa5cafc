/**
 * Repositories inside a work tree: submodules, clones and new ones. Their commits may be stored in folders that are
 * deleted with the work tree, so each repository is recursively inspected like the work tree itself.
 */
import { join, relative, resolve } from 'node:path';
import { exists } from './kinds.ts';
import type { Repository } from './repository.ts';
import { listStatus } from './status.ts';

export type NestedDeps = {
  readonly repository: Repository;
  readonly doomed: readonly string[];
  readonly signal: AbortSignal;
};

const MAX_DEPTH = 20;
const MAX_LIST_BYTES = 256 * 1024 * 1024;

const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith('../'));
};

const isDoomed = (deps: NestedDeps, path: string): boolean => deps.doomed.some((folder) => isWithin(folder, path));

export type Gitlink = { readonly path: string; readonly commit: string };

/** Paths of gitlinks (commits of other repositories) in `index`. Default: the work tree's own index. */
export const listGitlinks = async (
  { repository, signal }: Pick<NestedDeps, 'repository' | 'signal'>,
  cwd: string,
  index?: string,
): Promise<readonly Gitlink[]> => {
  const env = index === undefined ? {} : { GIT_INDEX_FILE: index };
  const call = { cwd, env, maxBytes: MAX_LIST_BYTES };
  const listed = await repository.ask(['ls-files', '-z', '--stage', '--full-name', '--', ':/'], call, signal);
  return listed.split('\0').flatMap((entry) => {
    const [, commit, path] = /^160000 (\S+) \d\t([\s\S]+)$/.exec(entry) ?? [];
    return commit === undefined || path === undefined ? [] : [{ commit, path }];
  });
};

export const isPopulated = async (tree: string, path: string): Promise<boolean> => exists(join(tree, path, '.git'));

/** Returns true when no remote of the repository is in a folder that is deleted. */
const countsRemotes = async (deps: NestedDeps, cwd: string): Promise<boolean> => {
  const { repository, signal } = deps;
  const found = await repository.try(['config', '-z', '--get-regexp', String.raw`^remote\..*\.url$`], { cwd }, signal);
  const urls = found.stdout
    .toString('utf8')
    .split('\0')
    .flatMap((entry) => (entry === '' ? [] : [entry.slice(entry.indexOf('\n') + 1)]));
  return urls.every((url) => !isDoomed(deps, resolve(cwd, url.replace(/^file:\/\//, ''))));
};

/** Returns true when the repository has a commit, including in its stash or reflogs, that is in no branch of a remote. */
export const holdsOwnCommits = async (deps: NestedDeps, cwd: string): Promise<boolean> => {
  const { repository, signal } = deps;
  const place = await repository.ask(['rev-parse', '--path-format=absolute', '--git-common-dir'], { cwd }, signal);
  if (!isDoomed(deps, place)) return false;
  const head = await repository.try(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { cwd }, signal);
  const from = [...(head.exitCode === 0 ? ['HEAD'] : []), '--all', '--reflog'];
  const known = (await countsRemotes(deps, cwd)) ? ['--not', '--remotes'] : [];
  return (await repository.ask(['rev-list', '--max-count=1', ...from, ...known], { cwd }, signal)) !== '';
};

/** Describes what would be lost with the repository at `path`. Empty when nothing would be lost. */
export const lookAtNested = async (
  deps: NestedDeps,
  { tree, path, commit }: { readonly tree: string; readonly path: string; readonly commit: string },
  depth = 0,
): Promise<readonly string[]> => {
  const { repository, signal } = deps;
  const cwd = join(tree, path);
  if (depth >= MAX_DEPTH) return [`${path}: repositories are nested too deeply to check`];
  const head = await repository.try(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { cwd }, signal);
  const at = head.exitCode === 0 ? head.stdout.toString('utf8').trim() : null;
  const lines = at === commit ? [] : [`${path}: is at a different commit than the work records`];
  if (await holdsOwnCommits(deps, cwd)) lines.push(`${path}: has commits that none of its remotes has`);
  if (at === null) return lines;
  const { entries, trouble } = await listStatus(repository, cwd, signal);
  lines.push(...entries.map((entry) => join(path, entry.path)), ...trouble.map((words) => `${path}: ${words}`));
  for (const link of await listGitlinks(deps, cwd)) {
    if (!(await isPopulated(cwd, link.path))) continue;
    const below = await lookAtNested(deps, { tree: cwd, ...link }, depth + 1);
    lines.push(...below.map((line) => join(path, line)));
  }
  return lines;
};
