/**
 * The history as the cage sees it: a bare repository of its own beside the checkout, with the commits' objects, `HEAD`
 * and one more name. It has no other ref, so no name leads to another change request, and no remote, hook or
 * configuration that anybody but us wrote. Objects are hard links: they cost no space, and packing the mirror meanwhile
 * takes nothing away.
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
  /** The mirror. Only its objects are taken, and where its history was cut off. */
  readonly gitDir: string;
  /** Folders of objects that belong to somebody else: they are read, and stay as they are. */
  readonly borrowed?: readonly string[];
  /** Where checkouts lie: what a killed process leaves here is removed with them. */
  readonly folder: string;
  readonly head: CommitSha;
  /** What the branch `base` stands at in the view; null for none. */
  readonly base: CommitSha | null;
};

/** As those of checkouts, so that leftovers are found by the same rule. */
const PREFIX = 'tree-history-';

const writePlain = async (path: string, text: string): Promise<void> => {
  await writeFile(path, text, { flag: 'wx' });
  await chmod(path, FILE_MODE);
};

/** A shallow history ends at commits whose parents are not there: git has to be told which. Null for a whole one. */
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

/** @throws `GitError` when the head is not in the mirror. Whoever calls must `dispose`. */
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
