import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from './remove-folder.ts';

export type Age = { readonly nowMs: number; readonly maxAgeMs: number };

/** The age of an entry; null if another process removed it in the meantime. */
const modifiedMs = async (path: string): Promise<number | null> => {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

/**
 * Removes the entries of `folder` that are at least `maxAgeMs` old and pass `isOurs`. Returns their number. Other processes
 * may use the folder and remove entries at the same time.
 */
export const removeOlder = async (folder: string, isOurs: (name: string) => boolean, age: Age): Promise<number> => {
  let removed = 0;
  for (const name of (await readdir(folder)).filter(isOurs)) {
    const path = join(folder, name);
    const atMs = await modifiedMs(path);
    if (atMs === null || age.nowMs - atMs < age.maxAgeMs) continue;
    await removeFolder(path);
    removed += 1;
  }
  return removed;
};
