/** Makes sure that the cage's account can execute the programs that Fixpoint ships. */
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const READ_BY_OTHERS = 0o005;
const PASSED_BY_OTHERS = 0o001;

/** Returns the first folder or file on the path that other accounts cannot access; null when they can reach the path. */
export const whereItEnds = async (path: string): Promise<string | null> => {
  const { mode } = await stat(path);
  const wanted = (await stat(path)).isDirectory() ? PASSED_BY_OTHERS : READ_BY_OTHERS;
  if ((mode & wanted) !== wanted) return path;
  const above = dirname(path);
  return above === path ? null : whereItEnds(above);
};

/** Copies to a temporary file and renames it, so that another process never starts an incomplete copy. */
const copyTo = async (path: string, copy: string): Promise<void> => {
  const draft = `${copy}.${process.pid}`;
  try {
    await copyFile(path, draft, constants.COPYFILE_FICLONE);
    await chmod(draft, 0o755);
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};

/** Returns `path` itself if other accounts can reach it, otherwise the path of a copy below `folder`. */
export const reachableProgram = async (path: string, folder: string): Promise<string> => {
  if ((await whereItEnds(path)) === null) return path;
  const { size, mtimeMs } = await stat(path);
  const copy = join(folder, `${basename(path)}-${size}-${Math.trunc(mtimeMs)}`);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const made = await stat(copy).catch(() => null);
  if (made === null) await copyTo(path, copy);
  return copy;
};
