/** Copies the objects of one repository to another, as hard links when possible. */
import { constants } from 'node:fs';
import { chmod, copyFile, link, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gitError } from '../git/git.ts';

const PACK_FILE = /^pack-[0-9a-f]{40,64}\.(?:pack|idx|rev)$/;
const SINGLE_FOLDER = /^[0-9a-f]{2}$/;
const SINGLE_FILE = /^[0-9a-f]{38,62}$/;
const ATTEMPTS = 3;
/** The mode lets every account read, because the cage runs under another account. */
export const FOLDER_MODE = 0o755;
export const FILE_MODE = 0o444;
/** This is also the maximum size of a checkout. */
const MAX_COPIED_BYTES = 512 * 1024 * 1024;

export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/**
 * Error codes of a hard link to another file system, or on a file system without hard links. The file is then copied.
 */
const CANNOT_LINK = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'];

/** Contract: links or copies one file and leaves an existing target unchanged. */
type TakeFile = (from: string, to: string) => Promise<void>;

const linkFile = async (from: string, to: string): Promise<'there' | 'cannot'> => {
  try {
    await link(from, to);
    return 'there';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'there';
    if (CANNOT_LINK.includes(codeOf(error))) return 'cannot';
    throw error;
  }
};

/** Never overwrites the target, which may be a hard link to a file of the other repository. */
const copyFileAnew = async (from: string, to: string): Promise<void> => {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(to, FILE_MODE);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
};

const takeOwn: TakeFile = async (from, to) => {
  if ((await linkFile(from, to)) === 'cannot') return copyFileAnew(from, to);
  const entry = await lstat(to);
  if (entry.isFile() && (entry.mode & FILE_MODE) !== FILE_MODE) await chmod(to, FILE_MODE);
};

/** A hard link shares its mode with the original. So a file that others cannot read is copied instead of made readable. */
const createBorrow = (signal: AbortSignal): TakeFile => {
  let copiedBytes = 0;
  return async (from, to) => {
    signal.throwIfAborted();
    const entry = await lstat(from);
    if (!entry.isFile()) return;
    const isOpen = (entry.mode & FILE_MODE) === FILE_MODE;
    if (isOpen && (await linkFile(from, to)) === 'there') return;
    copiedBytes += entry.size;
    if (copiedBytes > MAX_COPIED_BYTES) throw gitError('GIT_TOO_LARGE', 'the history is too large to copy', 'fail');
    await copyFileAnew(from, to);
  };
};

export const makeFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true });
  await chmod(path, FOLDER_MODE);
};

const takeAll = async (from: string, to: string, takeFile: TakeFile): Promise<void> => {
  for (const folder of await readdir(from)) {
    const wanted = folder === 'pack' ? PACK_FILE : SINGLE_FILE;
    if (folder !== 'pack' && !SINGLE_FOLDER.test(folder)) continue;
    await makeFolder(join(to, folder));
    for (const name of await readdir(join(from, folder))) {
      if (wanted.test(name)) await takeFile(join(from, folder, name), join(to, folder, name));
    }
  }
};

/** git can replace a pack between the listing and the link; the missing file then causes a retry. */
const patiently = async (take: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await take();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt >= ATTEMPTS) throw error;
    }
  }
};

/** Copies from a repository that Fixpoint owns; its files may become readable for every account. */
export const takeObjects = async (from: string, to: string): Promise<void> =>
  patiently(async () => takeAll(from, to, takeOwn));

/** Copies from a repository of the user and changes nothing in it. @throws GitError when the copies are too large. */
export const takeBorrowedObjects = async (from: string, to: string, signal: AbortSignal): Promise<void> =>
  patiently(async () => takeAll(from, to, createBorrow(signal)));
