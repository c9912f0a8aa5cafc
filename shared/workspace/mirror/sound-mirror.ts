/** Work on a mirror that begins once more on a new one when the mirror turns out to be damaged. */
import { GitError } from '../git/git.ts';
import type { CheckDepth } from './mirror-generation.ts';
import type { Mirror } from './mirror.ts';

/** How deep to look for damage after an error; null for one that a damaged mirror does not cause. */
const suspicion = (error: unknown): CheckDepth | null => {
  if (!(error instanceof GitError) || !['GIT_FAILED', 'GIT_BAD_OUTPUT'].includes(error.code)) return null;
  // Asking the server reads no object here, and fails mostly because the server is away.
  return error.fields['command'] === 'ls-remote' ? 'references' : 'objects';
};

export type SoundMirror<T> = {
  readonly open: (signal: AbortSignal) => Promise<Mirror>;
  readonly work: (mirror: Mirror) => Promise<T>;
  /** Contract: must not throw. */
  readonly onDamaged: (error: unknown) => void;
};

/** Contract: `work` may be called twice. What it throws the second time is thrown. */
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
