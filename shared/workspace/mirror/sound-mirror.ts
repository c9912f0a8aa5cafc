/** Runs work on a mirror, again on a new mirror when the first one is damaged, and again when a full disk has space again. */
import { isDiskFull } from '../git/disk-full.ts';
import { GitError } from '../git/git.ts';
import type { CheckDepth } from './mirror-generation.ts';
import type { Mirror } from './mirror.ts';

/** How thoroughly to check the mirror after an error. Returns null for an error that damage cannot cause. */
const suspicion = (error: unknown): CheckDepth | null => {
  if (!(error instanceof GitError) || !['GIT_FAILED', 'GIT_BAD_OUTPUT'].includes(error.code)) return null;
  // `ls-remote` reads no local object and usually fails because the server is unreachable.
  return error.fields['command'] === 'ls-remote' ? 'references' : 'objects';
};

export type SoundMirror<T> = {
  readonly open: (signal: AbortSignal) => Promise<Mirror>;
  readonly work: (mirror: Mirror) => Promise<T>;
  /** Contract: must not throw. */
  readonly onDamaged: (error: unknown) => void;
  /**
   * Removes other mirrors that are not in use; false if there are none, or if the error is of another disk. If absent, a full
   * disk is an error at once.
   */
  readonly makeRoom?: ((error: unknown, signal: AbortSignal) => Promise<boolean>) | undefined;
};

/**
 * Runs work on a mirror, which is released afterwards. If the mirror is damaged, the work runs again on a new mirror; if the
 * disk is full, it runs again when unused mirrors were removed. Contract: `work` may be called several times.
 */
export const onSoundMirror = async <T>(sound: SoundMirror<T>, signal: AbortSignal): Promise<T> => {
  const mirror = await withRoom(sound, async () => sound.open(signal), signal);
  try {
    return await withRoom(sound, async () => sound.work(mirror), signal);
  } catch (error) {
    signal.throwIfAborted();
    const depth = suspicion(error);
    if (depth === null || !(await mirror.discardIfDamaged(depth, signal))) throw error;
    sound.onDamaged(error);
  } finally {
    await mirror.release();
  }
  return releasing(await sound.open(signal), sound.work);
};

const withRoom = async <T>(
  { makeRoom }: Pick<SoundMirror<unknown>, 'makeRoom'>,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!isDiskFull(error) || !(await makeRoom?.(error, signal))) throw error;
    return work();
  }
};

const releasing = async <T>(mirror: Mirror, work: SoundMirror<T>['work']): Promise<T> => {
  try {
    return await work(mirror);
  } finally {
    await mirror.release();
  }
};
