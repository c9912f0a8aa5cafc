/** Removes mirrors so that no other process uses, or trusts after a crash, a half removed one. */
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LockTimeoutError, withFileLock } from '../process/file-lock.ts';
import { forgetBytes, lastUse } from './kept-mirrors.ts';
import { generationFolders, removeAbandoned } from './mirror-generation.ts';
import { ifThere, isInUse, useFolderOf } from './mirror-use.ts';
import type { KeptMirror } from './plan-eviction.ts';

/** Removed mirrors are renamed first, so that no other process sees a half removed one. */
const GONE = 'gone-';

/** The lock is held for moments, or for a fetch; then the mirror is in use. */
const LOCK = { waitMs: 500, staleMs: 60_000 };

/** Removes what a process that was killed during a removal left behind. */
export const removeGone = async (folder: string): Promise<void> => {
  for (const name of await ifThere(readdir(folder), [])) {
    if (name.startsWith(GONE)) await rm(join(folder, name), { recursive: true, force: true });
  }
};

export type MirrorRemoval = { readonly nowMs: number; readonly checkpoint?: (step: string) => void };

/** `gone`: another process removed it first, or only what is kept beside it was left. */
export type RemovalResult = 'removed' | 'gone' | 'in_use';

/**
 * Removes a mirror unless it is in use, or was used since it was listed. Each folder is moved at once, so what is left
 * after a crash is either complete or was abandoned before.
 */
export const removeMirror = async (
  { base, usedAtMs }: Pick<KeptMirror, 'base' | 'usedAtMs'>,
  { nowMs, checkpoint = () => {} }: MirrorRemoval,
  signal: AbortSignal,
): Promise<RemovalResult> => {
  const gone: string[] = [];
  const moveAway = async (folder: string): Promise<boolean> => {
    const away = join(dirname(base), `${GONE}${crypto.randomUUID()}`);
    if ((await ifThere(rename(folder, away), null)) === null) return false;
    gone.push(away);
    checkpoint('after-move');
    return true;
  };
  const move = async (): Promise<RemovalResult> => {
    if ((await isInUse(base, nowMs)) || (await lastUse(base)) > usedAtMs) return 'in_use';
    checkpoint('before-move');
    let result: RemovalResult = 'gone';
    for (const folder of await generationFolders(base)) if (await moveAway(folder)) result = 'removed';
    await moveAway(useFolderOf(base));
    await forgetBytes(base);
    return result;
  };
  try {
    const result = await withFileLock(`${base}.lock`, LOCK, move, signal);
    for (const folder of gone) {
      await rm(folder, { recursive: true, force: true });
      checkpoint('after-removal');
    }
    return result;
  } catch (error) {
    if (error instanceof LockTimeoutError) return 'in_use';
    throw error;
  }
};

/** Removes the abandoned generations of a mirror after their time, unless another process has the lock. */
export const tidyGenerations = async (base: string, nowMs: number, signal: AbortSignal): Promise<void> => {
  try {
    await withFileLock(`${base}.lock`, LOCK, async () => removeAbandoned(base, nowMs), signal);
  } catch (error) {
    if (!(error instanceof LockTimeoutError)) throw error;
  }
};
