/**
 * A damaged mirror is abandoned, not repaired. The new mirror is created beside it, so that current readers of the old mirror
 * can finish. Every function here that changes something runs under the lock of
 * the project's mirror.
 */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createGit, GitError, type GitSettings } from '../git/git.ts';

const DAMAGED = 'fixpoint-damaged';

/** A damaged mirror is kept longer than any job runs. */
const KEEP_DAMAGED_MS = 24 * 3_600_000;
const CHECK_TIMEOUT_MS = 5 * 60_000;

const generationOf = (base: string, name: string): number | null => {
  if (name === base) return 0;
  const [, digits] = /^\.g(\d{1,9})$/.exec(name.startsWith(base) ? name.slice(base.length) : '') ?? [];
  return digits === undefined ? null : Number(digits);
};

const folderOf = (base: string, generation: number): string => (generation === 0 ? base : `${base}.g${generation}`);

const generations = async (base: string): Promise<readonly number[]> =>
  (await readdir(dirname(base)))
    .map((name) => generationOf(basename(base), name))
    .filter((each) => each !== null)
    .toSorted((one, other) => one - other);

/** The folders of a mirror that exist, newest last. All but the newest are abandoned. */
export const generationFolders = async (base: string): Promise<readonly string[]> =>
  (await generations(base)).map((generation) => folderOf(base, generation));

/** Returns the folder of the newest mirror, which need not exist yet. `base` is the folder of the first mirror. */
export const currentMirror = async (base: string): Promise<string> => {
  const newest = (await generations(base)).at(-1) ?? 0;
  const folder = folderOf(base, newest);
  return (await damagedSince(folder)) === null ? folder : folderOf(base, newest + 1);
};

const damagedSince = async (folder: string): Promise<number | null> => {
  try {
    return (await stat(join(folder, DAMAGED))).mtimeMs;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  }
};

export type CheckDepth = 'references' | 'objects';

const CHECKS: Readonly<Record<CheckDepth, readonly string[]>> = {
  references: ['for-each-ref', '--format=%(refname)'],
  objects: ['fsck', '--full', '--no-dangling', '--no-progress'],
};

/** True when the repository is broken. A timeout returns false, so that a slow machine does not abandon a large mirror. */
export const isDamaged = async (settings: GitSettings, depth: CheckDepth, signal: AbortSignal): Promise<boolean> => {
  const git = createGit(settings);
  try {
    await git.run([...CHECKS[depth]], { timeoutMs: CHECK_TIMEOUT_MS, mayTruncate: true }, signal);
    return false;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof GitError && error.code === 'GIT_FAILED';
  }
};

/** Marks the mirror as abandoned, so that the next opening creates a new one. Removes mirrors that were abandoned long ago. */
export const leaveBehind = async (base: string, folder: string, nowMs: number): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, DAMAGED), '');
  await removeAbandoned(base, nowMs);
};

/** Removes the generations that were abandoned longer ago than any job runs. */
export const removeAbandoned = async (base: string, nowMs: number): Promise<void> => {
  for (const old of await generationFolders(base)) {
    const since = await damagedSince(old);
    if (since !== null && nowMs - since > KEEP_DAMAGED_MS) await rm(old, { recursive: true, force: true });
  }
};
