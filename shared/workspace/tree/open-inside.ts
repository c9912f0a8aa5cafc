import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { whyPathIsRefused } from './paths.ts';

/** A path of the workspace, or why it is none. Contract: `absolute` has no link left in it and lies below the root. */
export type InsidePath =
  | { readonly kind: 'inside'; readonly absolute: string; readonly path: string }
  | { readonly kind: 'refused'; readonly reason: string };

export type OpenedFile =
  | { readonly kind: 'open'; readonly handle: FileHandle; readonly bytes: number }
  | { readonly kind: 'refused'; readonly reason: string };

const NOT_FOUND = 'not found';
const OUTSIDE = 'outside the workspace';

const refused = (reason: string) => ({ kind: 'refused', reason }) as const;

/** What a path that does not lead anywhere fails with. */
const isNowhere = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ENXIO', 'EINVAL'].includes(String(error.code));

const isBelow = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
};

/** `./a/b/` means `a/b`, and nothing or `.` the root itself. */
const tidy = (path: string): string =>
  path
    .split('/')
    .filter((name) => name !== '.')
    .join('/')
    .replace(/\/+$/, '');

/** What a path says, before any file system is asked: absolute ones, `..`, names of git and control characters are refused. */
export const askedPath = (
  asked: string,
): { readonly kind: 'path'; readonly path: string } | { readonly kind: 'refused'; readonly reason: string } => {
  if (asked.startsWith('/')) return refused(OUTSIDE);
  const path = tidy(asked);
  if (path === '') return { kind: 'path', path };
  const reason = whyPathIsRefused(path);
  if (reason !== null) return refused(path.split('/').includes('..') ? OUTSIDE : reason);
  return { kind: 'path', path };
};

/**
 * Resolves what a tool was asked for. Absolute paths, `..`, names of git and control characters are refused before the
 * file system is asked; a link that leads out of the root after.
 */
export const resolveInside = async (root: string, asked: string): Promise<InsidePath> => {
  const trusted = await realpath(root);
  const said = askedPath(asked);
  if (said.kind === 'refused') return said;
  const { path } = said;
  if (path === '') return { kind: 'inside', absolute: trusted, path };
  try {
    const absolute = await realpath(join(trusted, path));
    if (!isBelow(trusted, absolute)) return refused(OUTSIDE);
    return { kind: 'inside', absolute, path: relative(trusted, absolute) };
  } catch (error) {
    if (isNowhere(error)) return refused(NOT_FOUND);
    throw error;
  }
};

/** What stands at a resolved path. Gone meanwhile, a link, a pipe, a socket or a device is `other`. */
export const kindOfEntry = async (absolute: string): Promise<'file' | 'folder' | 'other'> => {
  try {
    const stat = await lstat(absolute);
    if (stat.isDirectory()) return 'folder';
    return stat.isFile() ? 'file' : 'other';
  } catch (error) {
    if (isNowhere(error)) return 'other';
    throw error;
  }
};

/** Where an open file really is. The kernel's answer cannot be raced; without `/proc` the path is resolved once more. */
const whereIs = async (handle: FileHandle, absolute: string): Promise<string> => {
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch (error) {
    if (!isNowhere(error)) throw error;
    return realpath(absolute);
  }
};

const whyNotReadable = async (handle: FileHandle, absolute: string, root: string): Promise<string | null> => {
  const stat = await handle.stat();
  if (stat.isDirectory()) return 'a folder';
  if (!stat.isFile()) return 'not a regular file';
  return isBelow(root, await whereIs(handle, absolute)) ? null : OUTSIDE;
};

/**
 * Opens a regular file below the root, and nothing else: no link, pipe, socket or device, also when somebody swaps a
 * folder for a link meanwhile. Never blocks. The caller closes the handle.
 */
export const openInside = async (root: string, asked: string): Promise<OpenedFile> => {
  const inside = await resolveInside(root, asked);
  if (inside.kind === 'refused') return inside;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let handle: FileHandle;
  try {
    handle = await open(inside.absolute, flags);
  } catch (error) {
    if (isNowhere(error)) return refused(NOT_FOUND);
    throw error;
  }
  try {
    const reason = await whyNotReadable(handle, inside.absolute, await realpath(root));
    if (reason === null) return { kind: 'open', handle, bytes: (await handle.stat()).size };
    await handle.close();
    return refused(reason);
  } catch (error) {
    await handle.close();
    if (isNowhere(error)) return refused(NOT_FOUND);
    throw error;
  }
};
