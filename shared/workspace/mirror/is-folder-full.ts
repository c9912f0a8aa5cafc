/** Whether a full disk is that of the data folder. Otherwise, for example on a small `/tmp`, removing mirrors is useless. */
import { statfs } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { failedWriteOf } from '../git/disk-full.ts';

/** What failed to be written is often removed before anybody looks, so a disk counts as full with this much free space. */
const FREE_SHARE = 0.05;
const FREE_BYTES = 1e9;

export type DiskSpace = { readonly totalBytes: number; readonly freeBytes: number };

export const isNearlyFull = ({ totalBytes, freeBytes }: DiskSpace): boolean =>
  freeBytes < FREE_BYTES || freeBytes < totalBytes * FREE_SHARE;

export type ReadSpace = (folder: string) => Promise<DiskSpace>;

/** Contract: the space that this account may use. */
const readSpace: ReadSpace = async (folder) => {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
};

/** True if the error says that the disk is full, and it is the disk of this folder. */
export const isFolderFull = async (folder: string, error: unknown, read: ReadSpace = readSpace): Promise<boolean> => {
  const failed = failedWriteOf(error);
  if (failed === null) return false;
  if (!('code' in failed) || failed.code !== 'ENOSPC') {
    // Git writes in the data folder alone. Free space says nothing about a quota (EDQUOT).
    return true;
  }
  const path = targetOf(failed);
  return (path !== null && isBelow(folder, path)) || isNearlyFull(await read(folder));
};

/** A write to an open file fails without a path. A copy has two. */
const targetOf = (error: Error): string | null => {
  const path = 'dest' in error ? error.dest : 'path' in error ? error.path : null;
  return typeof path === 'string' ? path : null;
};

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
};
