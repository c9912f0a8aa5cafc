import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CommitSha } from '../rounds/vocabulary.ts';
import { createGit, type Git, gitError, SAFE_ATTRIBUTES } from './git.ts';
import { initBare } from './mirror-folder.ts';

/**
 * An existing repository of the user, for reading. Objects are read through a scratch repository that borrows them, so
 * that no configuration, attribute or hook of the user's repository takes part and nothing is written to it.
 */
export type LocalRepository = {
  /** The scratch repository: what `createRevisions` takes. */
  readonly git: Git;
  /** Where the borrowed objects lie: the user's own, and those that the user's repository borrows itself. */
  readonly objectFolders: readonly string[];
  /** The commit that a branch, tag, id or expression such as `HEAD~2` names; null when it names none. */
  resolveRevision(revision: string, signal: AbortSignal): Promise<CommitSha | null>;
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

/** Where a linked work tree or a submodule keeps its repository: `gitdir: PATH`. */
const followGitFile = async (file: string): Promise<string | null> => {
  const target = /^gitdir: (.+)\n?$/.exec(await readFile(file, 'utf8'))?.[1];
  return target === undefined ? null : resolve(dirname(file), target);
};

const looksBare = async (folder: string): Promise<boolean> => {
  const kinds = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => kindOf(join(folder, name))));
  return kinds.join() === 'file,folder,folder';
};

/**
 * The repository that `directory` belongs to. Only `directory` itself may be a bare one: a bare repository that lies
 * inside a work tree was put there by whoever wrote the tree.
 */
const findGitDir = async (directory: string): Promise<string> => {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const candidate = join(folder, '.git');
    const kind = await kindOf(candidate);
    if (kind === 'folder') return candidate;
    const linked = kind === 'file' ? await followGitFile(candidate) : null;
    if (linked !== null) return linked;
    if (folder === resolve(directory) && (await looksBare(folder))) return folder;
    if (folder === dirname(folder)) throw gitError('GIT_REFUSED', 'there is no git repository here', 'fail');
  }
};

/** No leading dash, no path or range syntax, no search expression. */
const REVISION = /^[0-9a-zA-Z_][0-9a-zA-Z._/~^@+-]{0,199}$/;

const askPath = async (git: Git, name: string, signal: AbortSignal): Promise<string> => {
  const { stdout } = await git.run(['rev-parse', '--git-path', name], {}, signal);
  return resolve(git.gitDir, stdout.toString('utf8').replace(/\n$/, ''));
};

const copyIfThere = async (from: string, to: string): Promise<void> => {
  if ((await kindOf(from)) === 'file') await copyFile(from, to);
};

/** Paths count from the folder itself. Lines that name none, such as comments, are not told from others here. */
const alternatesOf = async (objects: string): Promise<readonly string[]> => {
  const file = join(objects, 'info', 'alternates');
  if ((await kindOf(file)) !== 'file') return [];
  return (await readFile(file, 'utf8')).split('\n').map((line) => resolve(objects, line));
};

const findObjectFolders = async (objects: string): Promise<readonly string[]> => {
  const found = new Set([objects]);
  // What is added meanwhile is looked at too, each once.
  for (const folder of found) {
    for (const other of await alternatesOf(folder)) if ((await kindOf(other)) === 'folder') found.add(other);
  }
  return [...found];
};

/** Where the objects lie. */
const borrowObjects = async (original: Git, scratch: Git, signal: AbortSignal): Promise<string> => {
  const format = (await original.run(['rev-parse', '--show-object-format'], {}, signal)).stdout.toString('utf8').trim();
  await initBare(scratch, format === 'sha256' ? 'sha256' : 'sha1', signal);
  await mkdir(join(scratch.gitDir, 'info'), { recursive: true });
  await writeFile(join(scratch.gitDir, 'info', 'attributes'), SAFE_ATTRIBUTES);
  await mkdir(join(scratch.gitDir, 'objects', 'info'), { recursive: true });
  const objects = await askPath(original, 'objects', signal);
  await writeFile(join(scratch.gitDir, 'objects', 'info', 'alternates'), `${objects}\n`);
  await copyIfThere(await askPath(original, 'shallow', signal), join(scratch.gitDir, 'shallow'));
  return objects;
};

export const openLocalRepository = async (
  settings: { readonly directory: string; readonly gitPath: string; readonly scratchFolder: string },
  signal: AbortSignal,
): Promise<LocalRepository> => {
  const { gitPath } = settings;
  const original = createGit({ gitPath, gitDir: await findGitDir(settings.directory), allowProtocols: [] });
  await mkdir(settings.scratchFolder, { recursive: true, mode: 0o700 });
  const gitDir = await mkdtemp(join(settings.scratchFolder, 'local-'));
  const git = createGit({ gitPath, gitDir, allowProtocols: [] });
  const close = (): Promise<void> => rm(gitDir, { recursive: true, force: true });
  try {
    const objectFolders = await findObjectFolders(await borrowObjects(original, git, signal));
    return { git, objectFolders, close, resolveRevision: revisionsOf(original) };
  } catch (error) {
    await close();
    throw error;
  }
};

const revisionsOf =
  (original: Git): LocalRepository['resolveRevision'] =>
  async (revision, signal) => {
    if (!REVISION.test(revision)) return null;
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
    const { stdout, exitCode } = await original.run(args, { answers: [1, 128] }, signal);
    return exitCode === 0 ? CommitSha.parse(stdout.toString('latin1').trim()) : null;
  };
