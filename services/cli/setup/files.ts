import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { unreadable, UsageError } from '../terminal/usage-error.ts';
import type { FileFacts } from './plan/facts.ts';

/** Permission bits of a mode. */
const BITS = 0o777;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

export const readIfThere = async (path: string): Promise<FileFacts> => {
  try {
    const [text, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    return { path, text, mode: mode & BITS };
  } catch (error) {
    if (isMissing(error)) return { path, text: null, mode: null };
    throw unreadable(path, error);
  }
};

/**
 * Writes a file atomically. The file has its final mode from the first byte on. A link stays and leads to the new content,
 * and the owner stays as well: the services may run under another account.
 */
export const replaceFile = async (path: string, text: string, mode: number): Promise<void> => {
  const suffix = randomBytes(6).toString('hex');
  let draft = `${path}.${suffix}`;
  try {
    const target = await targetOf(path);
    draft = `${target}.${suffix}`;
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await keepOwner(target, draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritable(path, error);
  }
};

/** The file that a link leads to, or the path itself if nothing is there. */
const targetOf = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
};

/** Only root may give a file to another account. */
const keepOwner = async (before: string, draft: string): Promise<void> => {
  if (process.getuid?.() !== 0) return;
  const [old, made] = await Promise.all([stat(before).catch(() => null), stat(draft)]);
  if (old === null || (old.uid === made.uid && old.gid === made.gid)) return;
  await chown(draft, old.uid, old.gid);
};

export const restrictFile = async (path: string): Promise<void> => {
  try {
    await chmod(path, 0o600);
  } catch (error) {
    throw unwritable(path, error);
  }
};

const unwritable = (path: string, error: unknown): UsageError => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return new UsageError(`${path} cannot be written (${code}); run setup as the account that owns its folder`);
};

export const removeFile = async (path: string): Promise<void> => rm(path, { force: true });

export const fileDigest = (text: string): string => createHash('sha256').update(text).digest('hex');
