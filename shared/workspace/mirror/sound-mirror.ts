/** Runs work on a mirror, and once more on a new mirror when the first one is damaged. */
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
};

/** Contract: `work` may be called twice. An error of the second call is thrown. */
export const onSoundMirror = async <T>({ open, work, onDamaged }: SoundMirror<T>, signal: AbortSignal): Promise<T> => {
  const mirror = await open(signal);
  try {
    return await work(mirror);
  } catch (error) {
    signal.throwIfAborted();
    const depth = suspicion(error);
    if (depth === null || !(await mirror.discardIfDamaged(depth, signal))) throw error;
    onDamaged(error);
    return work(await open(signal));
  }
};
