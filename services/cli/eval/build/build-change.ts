/** From a case to a repository with two commits. Writes only to its scratch folder and to the folder of fetched repositories. */
import path from 'node:path';
import type { EvalChange, EvalChangeCase } from '../../../../shared/eval/case.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createGit, type Git, GitError } from '../../../../shared/workspace/git/git.ts';
import { findGitDir } from '../../../../shared/workspace/local/local.ts';
import { createRevisionNames } from '../../../../shared/workspace/local/revision-names.ts';
import { EvalBuildError } from './build-error.ts';
import { baseOf } from './change-base.ts';
import { fetchRepository } from './fetch-repository.ts';
import { findClone } from './find-clone.ts';
import { BASE_REF, HEAD_REF, type ImportedFile, importStream } from './import-stream.ts';
import { readPackage } from './read-package.ts';
import { commitOn, createScratch } from './scratch-repository.ts';

export type BuildPlace = {
  /** Exists; its owner removes it. */
  readonly scratchFolder: string;
  /** Clones of the user; null if there are none. */
  readonly repositories: string | null;
  /** For repositories that are fetched. */
  readonly fetchedFolder: string;
  /** Paths in cases are relative to this folder. */
  readonly casesFolder: string;
  readonly gitPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type BuiltChange = { readonly directory: string; readonly base: CommitSha; readonly head: CommitSha };

/** @throws EvalBuildError, GitError */
export const buildChange = async (
  { change, changedLines }: Pick<EvalChangeCase, 'change' | 'changedLines'>,
  place: BuildPlace,
  signal: AbortSignal,
): Promise<BuiltChange> => {
  const built = await build(change, place, signal);
  if (changedLines === undefined) return built;
  const size = { changedLines, gitPath: place.gitPath };
  const lines = await sizeOf(built, size, signal);
  if (isAlike(lines, changedLines)) return built;
  throw new EvalBuildError(`the change has ${lines} lines, but ${changedLines} according to the set`);
};

const build = async (change: EvalChange, place: BuildPlace, signal: AbortSignal): Promise<BuiltChange> => {
  switch (change.kind) {
    case 'files':
      return importFiles(change.files, place, signal);
    case 'package':
      return importFiles(await readPackage(change, place, signal), place, signal);
    case 'commits':
      return fromCommits(change, place, signal);
    case 'patch':
      return fromPatch(change, place, signal);
    default:
      return change satisfies never;
  }
};

const IMPORT_MS = 5 * 60_000;

const importFiles = async (
  files: readonly ImportedFile[],
  { scratchFolder, gitPath }: BuildPlace,
  signal: AbortSignal,
): Promise<BuiltChange> => {
  const git = await createScratch({ folder: scratchFolder, gitPath }, signal);
  const options = { input: importStream(files), timeoutMs: IMPORT_MS };
  await git.run(['fast-import', '--quiet', '--done'], options, signal);
  return {
    directory: git.gitDir,
    base: await resolve(git, BASE_REF, signal),
    head: await resolve(git, HEAD_REF, signal),
  };
};

const resolve = async (git: Git, name: string, signal: AbortSignal): Promise<CommitSha> => {
  const found = await createRevisionNames(git).resolveRevision(name, signal);
  if (found === null) throw new EvalBuildError(`the repository has no commit named ${name}`);
  return found;
};

type OfRepository = Extract<EvalChange, { readonly kind: 'commits' | 'patch' }>;

/** The repository of a case, with the commits that it names if they can be fetched. */
const openRepository = async (change: OfRepository, place: BuildPlace, signal: AbortSignal): Promise<Git> => {
  const { repository } = change;
  const named = change.kind === 'commits' ? [change.base, change.head] : [change.base];
  if (repository.kind === 'path') return openClone(path.resolve(place.casesFolder, repository.path), place);
  const clone = place.repositories === null ? null : await findClone(place.repositories, repository.url);
  if (clone !== null) return openClone(clone, place);
  const { fetchedFolder, gitPath } = place;
  return fetchRepository({ url: repository.url, named, folder: fetchedFolder, gitPath }, signal);
};

const openClone = async (directory: string, { gitPath }: BuildPlace): Promise<Git> => {
  const gitDir = await findGitDir(directory);
  if (gitDir === null) throw new EvalBuildError(`${directory} is not a git repository`);
  return createGit({ gitPath, gitDir, allowProtocols: [] });
};

const fromCommits = async (
  change: Extract<EvalChange, { readonly kind: 'commits' }>,
  place: BuildPlace,
  signal: AbortSignal,
): Promise<BuiltChange> => {
  const git = await openRepository(change, place, signal);
  const ends = { base: await resolve(git, change.base, signal), head: await resolve(git, change.head, signal) };
  if (change.compare === 'merge_base')
    return { directory: git.gitDir, base: await baseOf(git, ends, signal), head: ends.head };
  const { scratchFolder: folder, gitPath } = place;
  const scratch = await createScratch({ folder, gitPath, borrowed: git }, signal);
  const head = await commitOn(scratch, { tree: `${ends.head}^{tree}`, parent: ends.base }, signal);
  return { directory: scratch.gitDir, base: ends.base, head };
};

const fromPatch = async (
  change: Extract<EvalChange, { readonly kind: 'patch' }>,
  place: BuildPlace,
  signal: AbortSignal,
): Promise<BuiltChange> => {
  const git = await openRepository(change, place, signal);
  const base = await resolve(git, change.base, signal);
  const { scratchFolder: folder, gitPath } = place;
  const scratch = await createScratch({ folder, gitPath, borrowed: git }, signal);
  await scratch.run(['read-tree', base], { timeoutMs: IMPORT_MS }, signal);
  const args = ['apply', '--cached', ...(change.reverse ? ['--reverse'] : []), '-'];
  const input = Buffer.from(change.patch);
  await scratch.run(args, { input }, signal).catch((cause: unknown) => {
    if (!(cause instanceof GitError)) throw cause;
    throw new EvalBuildError(`the patch does not apply to ${change.base}`, cause);
  });
  const tree = (await scratch.run(['write-tree'], {}, signal)).stdout.toString('latin1').trim();
  return { directory: scratch.gitDir, base, head: await commitOn(scratch, { tree, parent: base }, signal) };
};

/** How far the size may be from what the set says; sets count blank lines or renames differently. */
const SIZE_FACTOR = 2;

type Size = { readonly changedLines: number; readonly gitPath: string };

const isAlike = (lines: number, expected: number): boolean =>
  lines <= expected * SIZE_FACTOR && lines * SIZE_FACTOR >= expected;

const gitOf = ({ directory }: BuiltChange, { gitPath }: Size): Git =>
  createGit({ gitPath, gitDir: directory, allowProtocols: [] });

const sizeOf = async (built: BuiltChange, size: Size, signal: AbortSignal): Promise<number> => {
  const args = ['diff', '--numstat', '-M', `${built.base}...${built.head}`];
  const { stdout } = await gitOf(built, size).run(args, { timeoutMs: IMPORT_MS }, signal);
  return stdout
    .toString('latin1')
    .split('\n')
    .reduce((sum, line) => line.split('\t', 2).reduce((both, count) => both + (Number(count) || 0), sum), 0);
};
