import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CommitSha } from '../../vocabulary/ids.ts';
import { createGit, type Git, gitError, type GitSettings, SAFE_ATTRIBUTES } from '../git/git.ts';

export type ObjectFormat = 'sha1' | 'sha256';

export const formatOf = (commit: CommitSha): ObjectFormat => (commit.length === 64 ? 'sha256' : 'sha1');

/**
 * The whole configuration of Fixpoint's bare repositories. It is rewritten before every use, so a setting that somebody
 * else added has no effect.
 */
export const configOf = (format: ObjectFormat): string =>
  [
    '[core]',
    `\trepositoryformatversion = ${format === 'sha256' ? 1 : 0}`,
    '\tfilemode = true',
    '\tbare = true',
    ...(format === 'sha256' ? ['[extensions]', '\tobjectformat = sha256'] : []),
    '',
  ].join('\n');

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
};

/** Replaces a file atomically: a reader sees either the old or the new content. */
const replaceFile = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${crypto.randomUUID()}`;
  await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
  await rename(draft, path);
};

const restore = async (gitDir: string, format: ObjectFormat): Promise<void> => {
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await replaceFile(join(gitDir, 'config'), configOf(format));
  await replaceFile(join(gitDir, 'info', 'attributes'), SAFE_ATTRIBUTES);
  const unwanted = ['commondir', 'hooks', 'config.worktree', 'info/grafts', 'objects/info/alternates', 'shallow'];
  await Promise.all(unwanted.map((name) => rm(join(gitDir, name), { recursive: true, force: true })));
};

/** Creates an empty bare repository in `gitDir`, which must exist and be empty. */
export const initBare = async (git: Git, format: ObjectFormat, signal: AbortSignal): Promise<void> => {
  await git.run(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`], {}, signal);
};

const createMirror = async (settings: GitSettings, format: ObjectFormat, signal: AbortSignal): Promise<void> => {
  const draft = await mkdtemp(`${settings.gitDir}.new-`);
  try {
    await initBare(createGit({ ...settings, gitDir: draft }), format, signal);
    await rename(draft, settings.gitDir);
  } catch (cause) {
    if (await isFolder(settings.gitDir)) return;
    if (signal.aborted) throw cause;
    throw gitError('GIT_FAILED', 'the mirror could not be created', 'retry', cause);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

const removeDrafts = async (gitDir: string): Promise<void> => {
  const names = await readdir(dirname(gitDir));
  const drafts = names.filter((name) => name.startsWith(`${basename(gitDir)}.new-`));
  await Promise.all(drafts.map((name) => rm(join(dirname(gitDir), name), { recursive: true, force: true })));
};

/**
 * Removes stale git locks and packs that were never completed. The caller holds the mirror's own lock, so the processes that
 * made them are dead. Git leaves an incomplete pack behind when it is killed and when the disk is full.
 */
export const removeLocks = async (gitDir: string): Promise<void> => {
  const inRefs = await readdir(join(gitDir, 'refs'), { recursive: true }).catch(() => []);
  const names = [...(await readdir(gitDir)), ...inRefs.map((name) => join('refs', name))];
  const inPacks = await readdir(join(gitDir, 'objects', 'pack')).catch(() => []);
  const incomplete = inPacks.filter((name) => name.startsWith('tmp_')).map((name) => join('objects', 'pack', name));
  const left = [...names.filter((name) => name.endsWith('.lock') || name === 'gc.pid'), ...incomplete];
  await Promise.all(left.map((name) => rm(join(gitDir, name), { force: true })));
};

/** If the mirror has the other object format, its repository was replaced, so none of its objects can be used. */
const hasOtherFormat = async (gitDir: string, format: ObjectFormat): Promise<boolean> => {
  const path = join(gitDir, 'config');
  const config = existsSync(path) ? await readFile(path, 'utf8') : null;
  return config !== null && /objectformat = sha256/.test(config) !== (format === 'sha256');
};

/** Opens a bare mirror. A missing mirror is created under a temporary name and renamed. The caller holds the mirror's lock. */
export const openMirror = async (settings: GitSettings, format: ObjectFormat, signal: AbortSignal): Promise<void> => {
  if (await hasOtherFormat(settings.gitDir, format)) await rm(settings.gitDir, { recursive: true });
  if (!(await isFolder(settings.gitDir))) {
    await removeDrafts(settings.gitDir);
    await createMirror(settings, format, signal);
  }
  await removeLocks(settings.gitDir);
  await restore(settings.gitDir, format);
};
