import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const DENIED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOTEMPTY']);

const isDenied = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && DENIED.has(String(error.code));

const OPEN = 0o700;

/** Follows no link. A folder that belongs to somebody else stays as it is; removing it then fails with the reason. */
const openFolders = async (path: string): Promise<void> => {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, OPEN).catch(() => {});
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
};

/**
 * Removes a folder that another program may have filled. Some programs leave folders that not even their owner may
 * write or list, such as the module cache of Go; these get other modes first.
 */
export const removeFolder = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!isDenied(error)) throw error;
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
};
