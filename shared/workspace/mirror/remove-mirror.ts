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

/**
 * Removes a mirror unless it is in use, or was used since it was listed. Each folder is moved at once, so what is left
 * after a crash is either complete or was abandoned before.
 */
export const removeMirror = async (
  { base, usedAtMs }: Pick<KeptMirror, 'base' | 'usedAtMs'>,
  { nowMs, checkpoint = () => {} }: MirrorRemoval,
  signal: AbortSignal,
): Promise<'removed' | 'in_use'> => {
  const gone: string[] = [];
  const move = async (): Promise<'removed' | 'in_use'> => {
    if ((await isInUse(base, nowMs)) || (await lastUse(base)) > usedAtMs) return 'in_use';
    checkpoint('before-move');
    for (const folder of [...(await generationFolders(base)), useFolderOf(base)]) {
      const away = join(dirname(base), `${GONE}${crypto.randomUUID()}`);
      if ((await ifThere(rename(folder, away), null)) === null) continue;
      gone.push(away);
      checkpoint('after-move');
    }
    await forgetBytes(base);
    return 'removed';
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
