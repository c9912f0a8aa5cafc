/**
 * Stores uncommitted changes as a commit in a scratch repository. It uses a copy of the index, writes neither the user's
 * index nor the work tree, and runs no filter or hook of the user.
 */
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommitSha } from '../../vocabulary/ids.ts';
import { askGitPath } from './git-path.ts';
import { type IndexCopy, keepUntouched, listFiltered } from './filtered-files.ts';
import { createGit, type Git, gitError } from '../git/git.ts';
import { readIgnored } from './ignored-files.ts';
import { addBeginnings } from './large-files.ts';
import { type UserEnvironment, findSetting, type GitSetting, userFolder } from './user-settings.ts';
import { initBare } from '../mirror/mirror-folder.ts';

export type Uncommitted =
  | 'staged'
  /** The work tree, including untracked files but not ignored files. */
  | 'worktree';

export type StoredChange = {
  readonly commit: CommitSha;
  /** The commit of `HEAD`; an empty commit when the repository has none. */
  readonly parent: CommitSha;
  readonly changedFiles: number;
};

type Source = {
  readonly original: Git;
  /** Stores the new objects and can read the objects of `original`. */
  readonly scratch: Git;
  /** Null for a bare repository. */
  readonly workTree: string | null;
  readonly env: UserEnvironment;
  readonly head: () => Promise<CommitSha | null>;
};

const ADD_TIMEOUT_MS = 5 * 60_000;

const IDENTITY = {
  GIT_AUTHOR_NAME: 'not committed',
  GIT_AUTHOR_EMAIL: 'fixpoint@localhost',
  GIT_COMMITTER_NAME: 'not committed',
  GIT_COMMITTER_EMAIL: 'fixpoint@localhost',
};

/** git's own conversions are harmless and needed for a correct diff. Filters are disabled, because they are programs. */
const ATTRIBUTES = '* !filter\n';

/**
 * Settings that affect how a file is compared with its committed state, and git's defaults for those that `createGit`
 * forces to another value. None of them names a program.
 */
const COMPARING: readonly (GitSetting & { readonly otherwise?: string })[] = [
  { key: 'core.autocrlf' },
  { key: 'core.eol' },
  { key: 'core.filemode' },
  { key: 'core.ignorecase' },
  { key: 'core.precomposeunicode' },
  // If links were not supported, a file in place of a committed link would still count as a link.
  { key: 'core.symlinks', otherwise: 'true' },
];

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/**
 * Sets the modification time of the copy slightly before that of the original, because git compares the content of
 * every file that is newer than the index.
 */
const copyIndex = async (from: string, to: string): Promise<void> => {
  try {
    const { mtimeMs } = await stat(from);
    await copyFile(from, to);
    const seconds = Math.floor(mtimeMs / 1000);
    await utimes(to, seconds, seconds);
  } catch (error) {
    // If a repository has no index, nothing is staged.
    if (!isMissing(error)) throw error;
  }
};

const copyAttributes = async (from: string, to: string): Promise<void> => {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
};

const copySharedIndexes = async (from: string, to: string): Promise<void> => {
  const names = (await readdir(from)).filter((name) => name.startsWith('sharedindex.'));
  // The user's git may remove an old shared index at the same time.
  for (const name of names) {
    await copyFile(join(from, name), join(to, name)).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
};

/** The user's attributes may convert line ends. A filter that they name does not run, because nothing configures it. */
const attributesFileOf = async (original: Git, env: UserEnvironment, signal: AbortSignal): Promise<string | null> => {
  const found = await findSetting(original, env, { key: 'core.attributesFile', type: 'path' }, signal);
  const folder = userFolder(env);
  return found ?? (folder === null ? null : join(folder, 'attributes'));
};

const settingsOf = async (original: Git, env: UserEnvironment, signal: AbortSignal): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const { otherwise = null, ...setting } of COMPARING) {
    const value = (await findSetting(original, env, setting, signal)) ?? otherwise;
    if (value !== null) found.push('-c', `${setting.key}=${value}`);
  }
  const attributes = await attributesFileOf(original, env, signal);
  return attributes === null ? found : [...found, '-c', `core.attributesFile=${attributes}`];
};

type Copy = Pick<IndexCopy, 'git' | 'indexFile'> & {
  readonly options: { readonly env: Record<string, string>; readonly timeoutMs: number };
  readonly settings: readonly string[];
  /** Tracked files that a filter converts. */
  readonly filtered: readonly string[];
};

const copyRepository = async (source: Source, folder: string, signal: AbortSignal): Promise<Copy> => {
  const { original, scratch, workTree, env } = source;
  const { stdout } = await original.run(['rev-parse', '--show-object-format'], {}, signal);
  const at = { gitPath: scratch.gitPath, gitDir: folder, allowProtocols: [] };
  await initBare(createGit(at), stdout.toString('utf8').trim() === 'sha256' ? 'sha256' : 'sha1', signal);
  await mkdir(join(folder, 'info'), { recursive: true });
  await copyAttributes(await askGitPath(original, 'info/attributes', signal), join(folder, 'info', 'attributes'));
  await writeFile(join(folder, 'info', 'exclude'), await readIgnored(original, env, signal));
  const index = await askGitPath(original, 'index', signal);
  await copyIndex(index, join(folder, 'index'));
  await copySharedIndexes(dirname(index), folder);
  const git = createGit({
    ...at,
    objectDirectory: join(scratch.gitDir, 'objects'),
    ...(workTree === null ? {} : { workTree }),
  });
  const indexFile = join(folder, 'index');
  const options = { env: { GIT_INDEX_FILE: indexFile }, timeoutMs: ADD_TIMEOUT_MS };
  const settings = await settingsOf(original, env, signal);
  const filtered = workTree === null ? [] : await listFiltered({ git, options, settings }, signal);
  await writeFile(join(folder, 'info', 'attributes'), ATTRIBUTES);
  return { git, options, indexFile, settings, filtered };
};

type InWorkTree = Source & { readonly workTree: string };

const writeTree = async (source: InWorkTree, what: Uncommitted, signal: AbortSignal): Promise<string> => {
  const { workTree } = source;
  const folder = await mkdtemp(join(source.scratch.gitDir, 'snapshot-'));
  try {
    const { git, options, indexFile, settings, filtered } = await copyRepository(source, folder, signal);
    if (what === 'worktree') {
      await keepUntouched({ git, options, indexFile, settings }, filtered, signal);
      await addBeginnings({ git, options, workTree, settings }, signal);
      await git.run([...settings, '-c', 'core.bare=false', 'add', '--all', '--'], options, signal);
    } else {
      const { stdout } = await git.run(['ls-files', '--unmerged', '-z'], options, signal);
      if (stdout.length > 0) throw gitError('GIT_REFUSED', UNMERGED, 'fail');
    }
    return (await git.run(['write-tree'], options, signal)).stdout.toString('latin1').trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const UNMERGED = 'a merge has unresolved conflicts: resolve them with `git add` before you review staged changes';

const commitTree = async (
  git: Git,
  { tree, parent }: { readonly tree: string; readonly parent: CommitSha | null },
  signal: AbortSignal,
): Promise<CommitSha> => {
  const args = ['commit-tree', tree, ...(parent === null ? [] : ['-p', parent]), '-m', 'Not committed yet'];
  return CommitSha.parse((await git.run(args, { env: IDENTITY }, signal)).stdout.toString('latin1').trim());
};

const emptyCommit = async (git: Git, signal: AbortSignal): Promise<CommitSha> => {
  const { stdout } = await git.run(['mktree'], { input: new Uint8Array() }, signal);
  return commitTree(git, { tree: stdout.toString('latin1').trim(), parent: null }, signal);
};

/** @throws GitError: `GIT_REFUSED` for a bare repository or an unresolved merge; `GIT_FAILED` with git's message. */
export const storeUncommitted = async (
  source: Source,
  what: Uncommitted,
  signal: AbortSignal,
): Promise<StoredChange> => {
  const { scratch, workTree } = source;
  if (workTree === null) throw gitError('GIT_REFUSED', 'a bare repository has no worktree', 'fail');
  const tree = await writeTree({ ...source, workTree }, what, signal);
  const parent = (await source.head()) ?? (await emptyCommit(scratch, signal));
  const commit = await commitTree(scratch, { tree, parent }, signal);
  const { stdout } = await scratch.run(['diff-tree', '-r', '-z', '--name-only', parent, commit, '--'], {}, signal);
  return { commit, parent, changedFiles: stdout.toString('latin1').split('\0').length - 1 };
};
