/**
 * The history that the cage sees: a separate bare repository with the commits' objects, `HEAD` and the branch `base`. It has no
 * other ref, so no name resolves to another change request, and no remote, hook or configuration that Fixpoint did not write.
 * Its objects are hard links, which use no space and survive a repacking of the mirror.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitSha } from '../../vocabulary/ids.ts';
import { createGit, gitError, SAFE_ATTRIBUTES } from '../git/git.ts';
import { configOf } from '../mirror/mirror-folder.ts';
import { codeOf, FILE_MODE, FOLDER_MODE, makeFolder, takeBorrowedObjects, takeObjects } from './take-objects.ts';

export type GitView = { readonly path: string; dispose(): Promise<void> };

export type GitViewSource = {
  readonly gitPath: string;
  /** The mirror. Only its objects and its `shallow` file are used. */
  readonly gitDir: string;
  /** Object folders of a repository that Fixpoint does not own. Fixpoint reads but never changes them. */
  readonly borrowed?: readonly string[];
  /** The folder of the checkouts. If a process is killed, its views are removed together with its checkouts. */
  readonly folder: string;
  readonly head: CommitSha;
  /** Commit of the branch `base` in the view. With null, the view has no such branch. */
  readonly base: CommitSha | null;
};

/** View names begin like checkout names, so that the same cleanup finds leftover views. */
const PREFIX = 'tree-history-';

const writePlain = async (path: string, text: string): Promise<void> => {
  await writeFile(path, text, { flag: 'wx' });
  await chmod(path, FILE_MODE);
};

/** Reads git's `shallow` file, which lists the commits whose parents are missing. Returns null when the history is complete. */
const readShallow = async (gitDir: string): Promise<string | null> => {
  try {
    return await readFile(join(gitDir, 'shallow'), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};

const layOut = async (path: string, source: GitViewSource, signal: AbortSignal): Promise<void> => {
  const { gitDir, borrowed = [], head, base } = source;
  await chmod(path, FOLDER_MODE);
  for (const folder of ['info', 'objects', 'refs', 'refs/heads']) await makeFolder(join(path, folder));
  await writePlain(join(path, 'HEAD'), `${head}\n`);
  await writePlain(join(path, 'config'), configOf(head.length === 64 ? 'sha256' : 'sha1'));
  await writePlain(join(path, 'info', 'attributes'), SAFE_ATTRIBUTES);
  if (base !== null) await writePlain(join(path, 'refs', 'heads', 'base'), `${base}\n`);
  const shallow = await readShallow(gitDir);
  if (shallow !== null) await writePlain(join(path, 'shallow'), shallow);
  const objects = join(path, 'objects');
  await takeObjects(join(gitDir, 'objects'), objects);
  for (const folder of borrowed) await takeBorrowedObjects(folder, objects, signal);
};

/** Contract: the caller calls `dispose`. @throws `GitError` when the head is not in the mirror. */
export const createGitView = async (source: GitViewSource, signal: AbortSignal): Promise<GitView> => {
  await mkdir(source.folder, { recursive: true });
  await chmod(source.folder, 0o711);
  const path = await mkdtemp(join(source.folder, PREFIX));
  const dispose = (): Promise<void> => rm(path, { recursive: true, force: true });
  try {
    await layOut(path, source, signal);
    const git = createGit({ gitPath: source.gitPath, gitDir: path, allowProtocols: [] });
    await git.run(['cat-file', '-e', `${source.head}^{tree}`], {}, signal);
    return { path, dispose };
  } catch (error) {
    await dispose();
    if (codeOf(error) !== 'ENOENT') throw error;
    throw gitError('GIT_FAILED', 'the history could not be copied', 'retry', error);
  }
};
