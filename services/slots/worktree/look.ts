/**
 * Inspects a slot's work tree before it is removed. All work that is not in the slot's commit is listed, and prevents
 * the removal. Files that the user's hooks created before the slot began are not work, unless they have changed since.
 */
import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from './kinds.ts';
import { isPopulated, listGitlinks, lookAtNested, type NestedDeps } from './nested.ts';
import type { Repository } from './repository.ts';
import { listStatus, type StatusEntry } from './status.ts';

/** Maps a path to a fingerprint that changes when the file changes. */
export type Baseline = ReadonlyMap<string, string>;

export type Found = {
  /** Work that could be committed but is not, described in words, paths first. */
  readonly uncommitted: readonly string[];
  readonly ignored: readonly string[];
  /** Folders without files, which git cannot commit. */
  readonly empty: readonly string[];
};

/** Files that the loop itself writes for agents that use messages. */
const OURS = /^\.fixpoint\/loop\/(?:\.gitignore|packets\/\d+-(?:findings\.yaml|context\.md))$/;
const HOLDS_OURS = /^\.fixpoint\/(?:loop\/(?:packets\/)?)?$/;

const filesIn = async (top: string, folder: string): Promise<readonly string[]> => {
  const entries = await readdir(join(top, folder), { withFileTypes: true });
  const nested = entries.map((entry) => {
    const path = `${folder}${entry.name}`;
    return entry.isDirectory() ? filesIn(top, `${path}/`) : Promise.resolve([path]);
  });
  return (await Promise.all(nested)).flat();
};

const withoutOurs = async (top: string, { kind, path }: StatusEntry): Promise<readonly StatusEntry[]> => {
  const paths = HOLDS_OURS.test(path) ? await filesIn(top, path) : [path];
  return paths.flatMap((one) => (OURS.test(one) ? [] : [{ kind, path: one }]));
};

/** Fingerprint of a file, or of all files of a folder. */
const markOf = async (top: string, path: string): Promise<string> => {
  if (!path.endsWith('/')) {
    const { size, mode, ctimeMs, ino } = await lstat(join(top, path));
    return [size, mode, ctimeMs, ino].join();
  }
  const hash = createHash('sha256');
  for (const file of await filesIn(top, path)) hash.update(`${file}\0${await markOf(top, file)}\0`);
  return hash.digest('hex');
};

export const takeBaseline = async (repository: Repository, path: string, signal: AbortSignal): Promise<Baseline> => {
  const { entries } = await listStatus(repository, path, signal);
  return new Map(
    await Promise.all(entries.map(async (entry) => [entry.path, await markOf(path, entry.path)] as const)),
  );
};

const isAsItWas = async (top: string, baseline: Baseline, path: string): Promise<boolean> =>
  baseline.has(path) && baseline.get(path) === (await markOf(top, path));

const lookAtNestedOnes = async (deps: NestedDeps, top: string): Promise<readonly string[]> => {
  const lines: string[] = [];
  for (const link of await listGitlinks(deps, top)) {
    if (await isPopulated(top, link.path)) lines.push(...(await lookAtNested(deps, { tree: top, ...link })));
  }
  return lines;
};

const countFiles = async (top: string, folder: string): Promise<number | null> =>
  filesIn(top, folder).then(
    (files) => files.length,
    () => null,
  );

const listEmptyFolders = async (
  repository: Repository,
  cwd: string,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const args = ['ls-files', '-z', '--others', '--directory', '--exclude-standard'];
  const all = (await repository.ask(args, { cwd }, signal)).split('\0');
  const filled = new Set((await repository.ask([...args, '--no-empty-directory'], { cwd }, signal)).split('\0'));
  const folders = all.filter((path) => path.endsWith('/') && !filled.has(path) && !HOLDS_OURS.test(path));
  const counts = await Promise.all(folders.map(async (path) => countFiles(cwd, path)));
  // Git also calls a folder empty when it holds only ignored files.
  return folders.filter((_, index) => counts[index] === 0);
};

export type LookDeps = {
  readonly repository: Repository;
  readonly tree: { readonly path: string; readonly gitDirectory: string; readonly baseline: Baseline };
  readonly signal: AbortSignal;
};

/** Contract: the work tree exists, and its HEAD is a commit. @throws LoopError when git fails */
export const lookAtTree = async ({ repository, tree, signal }: LookDeps): Promise<Found> => {
  const { path: top, gitDirectory, baseline } = tree;
  const { entries, trouble } = await listStatus(repository, top, signal);
  const uncommitted: string[] = [];
  const ignored: string[] = [];
  for (const entry of (await Promise.all(entries.map(async (one) => withoutOurs(top, one)))).flat()) {
    if (await isAsItWas(top, baseline, entry.path)) continue;
    (entry.kind === 'ignored' ? ignored : uncommitted).push(entry.path);
  }
  const nested = await lookAtNestedOnes({ repository, doomed: [top, gitDirectory], signal }, top);
  const own = await repository.ask(['for-each-ref', '--format=%(refname)', 'refs/worktree'], { cwd: top }, signal);
  const refs = own === '' ? [] : own.split('\n');
  const empty = await listEmptyFolders(repository, top, signal);
  return { uncommitted: [...uncommitted, ...nested, ...refs, ...trouble], ignored, empty };
};

const OPERATIONS = [
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['sequencer', 'a sequence of cherry-picks or reverts'],
  ['BISECT_LOG', 'a bisection'],
] as const;

/** Returns null when no merge, rebase or similar is in progress. `gitDirectory` is the work tree's own. */
export const operationUnderWay = async (gitDirectory: string): Promise<string | null> => {
  for (const [name, what] of OPERATIONS) if (await exists(join(gitDirectory, name))) return what;
  return null;
};
