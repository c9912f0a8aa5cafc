import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createGit, type Git, GitError, gitError, SAFE_ATTRIBUTES } from '../git/git.ts';
import { findHistoryGap, type HistoryGap, type HistoryRange } from './history-gap.ts';
import { initBare } from '../mirror/mirror-folder.ts';
import { findDefaultBranch } from './default-branch.ts';
import { askGitPath } from './git-path.ts';
import { createRevisionNames, type RevisionNames } from './revision-names.ts';
import { storeUncommitted, type StoredChange, type Uncommitted } from './uncommitted.ts';

/**
 * Read access to an existing repository of the user. A scratch repository reads its objects through alternates. So the user's
 * configuration, attributes and hooks have no effect, and nothing is written to the user's repository.
 */
export type LocalRepository = RevisionNames & {
  readonly git: Git;
  /** The object folders of the user's repository and of its alternates. */
  readonly objectFolders: readonly string[];
  /** Returns why the change from `base` to `head` cannot be determined; null when it can. */
  findGap(range: HistoryRange, signal: AbortSignal): Promise<HistoryGap | null>;
  /** Stores the staged or all uncommitted changes as a commit on `HEAD`, in the scratch repository only. */
  storeUncommitted(what: Uncommitted, signal: AbortSignal): Promise<StoredChange>;
  isShallow(): Promise<boolean>;
  /** Returns a name such as `origin/main`; null when it is not known. */
  findDefaultBranch(signal: AbortSignal): Promise<string | null>;
  close(): Promise<void>;
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const kindOf = async (path: string): Promise<'folder' | 'file' | 'missing'> => {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (isMissing(error)) return 'missing';
    throw error;
  }
};

/** Reads `gitdir: PATH` from the file by which a linked work tree or a submodule points to its repository. */
const followGitFile = async (file: string): Promise<string | null> => {
  const target = /^gitdir: (.+)\n?$/.exec(await readFile(file, 'utf8'))?.[1];
  return target === undefined ? null : resolve(dirname(file), target);
};

const looksBare = async (folder: string): Promise<boolean> => {
  const kinds = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => kindOf(join(folder, name))));
  return kinds.join() === 'file,folder,folder';
};

/** `workTree` is null for a bare repository. */
type Found = { readonly gitDir: string; readonly workTree: string | null };

const whyNoRepository = async (directory: string): Promise<string> =>
  `${resolve(directory)} ${(await kindOf(directory)) === 'missing' ? 'does not exist' : 'is not a git repository'}`;

/** Only `directory` itself may be bare: a bare repository inside a work tree may be part of the (untrusted) tree. */
const findRepository = async (directory: string): Promise<Found> => {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const candidate = join(folder, '.git');
    const kind = await kindOf(candidate);
    if (kind === 'folder') return { gitDir: candidate, workTree: folder };
    const linked = kind === 'file' ? await followGitFile(candidate) : null;
    if (linked !== null && (await kindOf(linked)) !== 'folder')
      throw gitError('GIT_REFUSED', `${candidate} points to ${linked}, and there is no such folder`, 'fail');
    if (linked !== null) return { gitDir: linked, workTree: folder };
    if (folder === resolve(directory) && (await looksBare(folder))) return { gitDir: folder, workTree: null };
    if (folder === dirname(folder)) throw gitError('GIT_REFUSED', await whyNoRepository(directory), 'fail');
  }
};

/** Returns null when `directory` is not part of a git repository. */
export const findGitDir = async (directory: string): Promise<string | null> => {
  try {
    return (await findRepository(directory)).gitDir;
  } catch (error) {
    if (error instanceof GitError && error.code === 'GIT_REFUSED') return null;
    throw error;
  }
};

const copyIfThere = async (from: string, to: string): Promise<void> => {
  if ((await kindOf(from)) === 'file') await copyFile(from, to);
};

/**
 * The listed paths are relative to the objects folder. Comment lines are returned as paths, too, because the caller
 * drops paths that do not exist.
 */
const alternatesOf = async (objects: string): Promise<readonly string[]> => {
  const file = join(objects, 'info', 'alternates');
  if ((await kindOf(file)) !== 'file') return [];
  return (await readFile(file, 'utf8')).split('\n').map((line) => resolve(objects, line));
};

const findObjectFolders = async (objects: string): Promise<readonly string[]> => {
  const found = new Set([objects]);
  // A `for` loop over a Set also visits elements that are added during the loop.
  for (const folder of found) {
    for (const other of await alternatesOf(folder)) if ((await kindOf(other)) === 'folder') found.add(other);
  }
  return [...found];
};

/** Returns the folder of the borrowed objects. */
const borrowObjects = async (original: Git, scratch: Git, signal: AbortSignal): Promise<string> => {
  const format = (await original.run(['rev-parse', '--show-object-format'], {}, signal)).stdout.toString('utf8').trim();
  await initBare(scratch, format === 'sha256' ? 'sha256' : 'sha1', signal);
  await mkdir(join(scratch.gitDir, 'info'), { recursive: true });
  await writeFile(join(scratch.gitDir, 'info', 'attributes'), SAFE_ATTRIBUTES);
  await mkdir(join(scratch.gitDir, 'objects', 'info'), { recursive: true });
  const objects = await askGitPath(original, 'objects', signal);
  await writeFile(join(scratch.gitDir, 'objects', 'info', 'alternates'), `${objects}\n`);
  await copyIfThere(await askGitPath(original, 'shallow', signal), join(scratch.gitDir, 'shallow'));
  return objects;
};

type Opening = {
  readonly directory: string;
  readonly gitPath: string;
  readonly scratchFolder: string;
  /** `HOME` and `XDG_CONFIG_HOME` locate the user's ignore file; without them only the repository's ignore lists count. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

export const openLocalRepository = async (settings: Opening, signal: AbortSignal): Promise<LocalRepository> => {
  const { gitPath, env = {} } = settings;
  const { gitDir: originalDir, workTree } = await findRepository(settings.directory);
  const original = createGit({ gitPath, gitDir: originalDir, allowProtocols: [] });
  await mkdir(settings.scratchFolder, { recursive: true, mode: 0o700 });
  const gitDir = await mkdtemp(join(settings.scratchFolder, 'local-'));
  const git = createGit({ gitPath, gitDir, allowProtocols: [] });
  const close = (): Promise<void> => rm(gitDir, { recursive: true, force: true });
  try {
    const objectFolders = await findObjectFolders(await borrowObjects(original, git, signal));
    const names = createRevisionNames(original);
    const snapshots = { original, scratch: git, workTree, env };
    return {
      git,
      objectFolders,
      close,
      ...names,
      isShallow: async () => (await kindOf(join(gitDir, 'shallow'))) === 'file',
      findDefaultBranch: (ended) => findDefaultBranch(original, ended),
      findGap: (range, ended) => findHistoryGap({ original, scratch: git }, range, ended),
      storeUncommitted: (what, ended) =>
        storeUncommitted({ ...snapshots, head: () => names.resolveRevision('HEAD', ended) }, what, ended),
    };
  } catch (error) {
    await close();
    throw error;
  }
};
