import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { whyPathIsRefused } from './paths.ts';

/** Contract: `absolute` contains no symbolic link and is below the root. `path` is relative to the root. */
export type InsidePath =
  | { readonly kind: 'inside'; readonly absolute: string; readonly path: string }
  | { readonly kind: 'refused'; readonly reason: string };

export type OpenedFile =
  | { readonly kind: 'open'; readonly handle: FileHandle; readonly bytes: number }
  | { readonly kind: 'refused'; readonly reason: string };

const NOT_FOUND = 'not found';
const OUTSIDE = 'outside the workspace';

const refused = (reason: string) => ({ kind: 'refused', reason }) as const;

/** Error codes for a path at which there is no file. */
const isNowhere = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ENXIO', 'EINVAL'].includes(String(error.code));

const isBelow = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
};

/** `./a/b/` becomes `a/b`; `.` becomes the empty path, which means the root. */
const tidy = (path: string): string =>
  path
    .split('/')
    .filter((name) => name !== '.')
    .join('/')
    .replace(/\/+$/, '');

/** Checks the text of a path. Absolute paths, `..`, names that git reserves and control characters are refused. */
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
 * Resolves a path that a tool asked for. `askedPath` checks the text of the path first. After that, links that lead
 * outside are refused.
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

/** The kind of entry at a resolved path. A missing entry, link, pipe, socket or device is `other`. */
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

/** The real path of an open file. `/proc` makes this race-free; without `/proc` the path is resolved again. */
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

/** Opens only a regular file below the root, even if a folder becomes a link meanwhile. Never blocks. The caller closes it. */
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
