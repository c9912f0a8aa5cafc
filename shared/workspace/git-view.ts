/**
 * The history as the cage sees it: a bare repository of its own beside the checkout, with the commits' objects, `HEAD`
 * and one more name. It has no other ref, so no name leads to another change request, and no remote, hook or
 * configuration that anybody but us wrote. Packs are hard links: it costs no space, and packing the mirror meanwhile
 * takes nothing away.
 */
import { chmod, copyFile, link, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitSha } from '../rounds/vocabulary.ts';
import { createGit, gitError, SAFE_ATTRIBUTES } from './git.ts';
import { configOf } from './mirror-folder.ts';

export type GitView = { readonly path: string; dispose(): Promise<void> };

export type GitViewSource = {
  readonly gitPath: string;
  /** The mirror. Only its packs are taken. */
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
  if (((await stat(to)).mode & FILE_MODE) !== FILE_MODE) await chmod(to, FILE_MODE);
};

/** A pack can be replaced by a larger one between the look and the link: then the look is repeated. */
const takePacks = async (from: string, to: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const name of await readdir(from)) {
        if (PACK_FILE.test(name)) await takeFile(join(from, name), join(to, name));
      }
      return;
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
  for (const folder of ['info', 'objects', 'objects/pack', 'refs', 'refs/heads']) {
    await mkdir(join(path, folder));
    await chmod(join(path, folder), FOLDER_MODE);
  }
  await writePlain(join(path, 'HEAD'), `${head}\n`);
  await writePlain(join(path, 'config'), configOf(head.length === 64 ? 'sha256' : 'sha1'));
  await writePlain(join(path, 'info', 'attributes'), SAFE_ATTRIBUTES);
  if (base !== null) await writePlain(join(path, 'refs', 'heads', 'base'), `${base}\n`);
  await takePacks(join(gitDir, 'objects', 'pack'), join(path, 'objects', 'pack'));
};

/** @throws `GitError` when the head is not in the mirror's packs. Whoever calls must `dispose`. */
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
