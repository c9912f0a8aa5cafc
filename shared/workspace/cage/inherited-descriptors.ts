/** Finds descriptors that this process inherited and that its child processes would also inherit. */
import { readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC in the notation of `/proc`. Node sets it on every file that it opens. */
const CLOSED_FOR_PROGRAMS = 0o2_000_000;
const STANDARD = 3;

const isHandedOn = (fd: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'));
    return flags !== null && (Number.parseInt(flags[1] ?? '', 8) & CLOSED_FOR_PROGRAMS) === 0;
  } catch {
    // The missing descriptor was used to list the folder, and has been closed.
    return false;
  }
};

/** Returns no descriptors if there is no `/proc`. bubblewrap cannot run there either. */
export const inheritedDescriptors = (): readonly number[] => {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd >= STANDARD && isHandedOn(fd));
  } catch {
    return [];
  }
};
