/**
 * The history as the cage sees it: a bare repository of its own beside the checkout, with the commits' objects, `HEAD`
 * and one more name. It has no other ref, so no name leads to another change request, and no remote, hook or
 * configuration that anybody but us wrote. Objects are hard links: they cost no space, and packing the mirror meanwhile
 * takes nothing away.
 */
import { chmod, copyFile, link, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitSha } from '../rounds/vocabulary.ts';
import { createGit, gitError, SAFE_ATTRIBUTES } from './git.ts';
import { configOf } from './mirror-folder.ts';

export type GitView = { readonly path: string; dispose(): Promise<void> };

export type GitViewSource = {
  readonly gitPath: string;
  /** The mirror. Only its objects are taken. */
  readonly gitDir: string;
  /** Where checkouts lie: what a killed process leaves here is removed with them. */
  readonly folder: string;
  readonly head: CommitSha;
  /** What the branch `base` stands at in the view; null for none. */
  readonly base: CommitSha | null;
};

/** As those of checkouts, so that leftovers are found by the same rule. */
const PREFIX = 'tree-history-';
const PACK_FILE = /^pack-[0-9a-f]{40,64}\.(?:pack|idx|rev)$/;
const SINGLE_FOLDER = /^[0-9a-f]{2}$/;
const SINGLE_FILE = /^[0-9a-f]{38,62}$/;
const ATTEMPTS = 3;
/** The uid of the cage is another one. */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o444;

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Another file system, or one without hard links: then the space is spent. */
const CANNOT_LINK = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'];

const takeFile = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (!CANNOT_LINK.includes(codeOf(error))) throw error;
    await copyFile(from, to);
  }
  const entry = await lstat(to);
  if (entry.isFile() && (entry.mode & FILE_MODE) !== FILE_MODE) await chmod(to, FILE_MODE);
};

const makeFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true });
  await chmod(path, FOLDER_MODE);
};

/** Packs, and the single objects that no pack holds yet. */
const takeObjects = async (from: string, to: string): Promise<void> => {
  for (const folder of await readdir(from)) {
    const wanted = folder === 'pack' ? PACK_FILE : SINGLE_FILE;
    if (folder !== 'pack' && !SINGLE_FOLDER.test(folder)) continue;
    await makeFolder(join(to, folder));
    for (const name of await readdir(join(from, folder))) {
      if (wanted.test(name)) await takeFile(join(from, folder, name), join(to, folder, name));
    }
  }
};

/** A pack can be replaced by a larger one between the look and the link: then the look is repeated. */
const takeObjectsPatiently = async (from: string, to: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await takeObjects(from, to);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt >= ATTEMPTS) throw error;
    }
  }
};

const writePlain = async (path: string, text: string): Promise<void> => {
  await writeFile(path, text, { flag: 'wx' });
  await chmod(path, FILE_MODE);
};

const layOut = async (path: string, { gitDir, head, base }: GitViewSource): Promise<void> => {
  await chmod(path, FOLDER_MODE);
  for (const folder of ['info', 'objects', 'refs', 'refs/heads']) await makeFolder(join(path, folder));
  await writePlain(join(path, 'HEAD'), `${head}\n`);
  await writePlain(join(path, 'config'), configOf(head.length === 64 ? 'sha256' : 'sha1'));
  await writePlain(join(path, 'info', 'attributes'), SAFE_ATTRIBUTES);
  if (base !== null) await writePlain(join(path, 'refs', 'heads', 'base'), `${base}\n`);
  await takeObjectsPatiently(join(gitDir, 'objects'), join(path, 'objects'));
};

/** @throws `GitError` when the head is not in the mirror. Whoever calls must `dispose`. */
export const createGitView = async (source: GitViewSource, signal: AbortSignal): Promise<GitView> => {
  await mkdir(source.folder, { recursive: true });
  await chmod(source.folder, 0o711);
  const path = await mkdtemp(join(source.folder, PREFIX));
  const dispose = (): Promise<void> => rm(path, { recursive: true, force: true });
  try {
    await layOut(path, source);
    const git = createGit({ gitPath: source.gitPath, gitDir: path, allowProtocols: [] });
    await git.run(['cat-file', '-e', `${source.head}^{tree}`], {}, signal);
    return { path, dispose };
  } catch (error) {
    await dispose();
    if (codeOf(error) !== 'ENOENT') throw error;
    throw gitError('GIT_FAILED', 'the history could not be laid out', 'retry', error);
  }
};
