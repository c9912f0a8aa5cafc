/**
 * Tests what a repository's file system can represent. Git's own cached results are not used, because they are in
 * settings that a user may change.
 */
import { chmod, lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type FileSystem = {
  readonly keepsModes: boolean;
  /** Whether the file system is case-sensitive: `a` and `A` are two files. */
  readonly tellsCases: boolean;
};

const UNKNOWN: FileSystem = { keepsModes: false, tellsCases: false };

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

const isExecutable = async (path: string): Promise<boolean> => ((await lstat(path)).mode & 0o100) !== 0;

export const probeFileSystem = async (folder: string): Promise<FileSystem> => {
  try {
    const place = await mkdtemp(join(folder, 'fixpoint-probe-'));
    try {
      const file = join(place, 'a');
      await writeFile(file, '');
      await chmod(file, 0o644);
      const wasExecutable = await isExecutable(file);
      await chmod(file, 0o744);
      const keepsModes = !wasExecutable && (await isExecutable(file));
      return { keepsModes, tellsCases: !(await exists(join(place, 'A'))) };
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  } catch {
    return UNKNOWN;
  }
};
