/** Open files that this process was started with and would hand on to every program that it starts. */
import { readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC as `/proc` shows it: whatever Node opens itself has it. */
const CLOSED_FOR_PROGRAMS = 0o2_000_000;
/** Standard input, output and error are given to a program anew. */
const STANDARD = 3;

const isHandedOn = (fd: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'));
    return flags !== null && (Number.parseInt(flags[1] ?? '', 8) & CLOSED_FOR_PROGRAMS) === 0;
  } catch {
    // The one that the folder was read with.
    return false;
  }
};

/** Their numbers. None where there is no `/proc`; then there is no bubblewrap either. */
export const inheritedDescriptors = (): readonly number[] => {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd >= STANDARD && isHandedOn(fd));
  } catch {
    return [];
  }
};
