/** Waits for the first process of a cage, which the kernel lets go only when no other one of it is left. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 2;
/** Dead processes can be late when the machine is, but not for ever. */
const MAX_LOOKS = 5_000;

/** A zombie has gone already: whoever should take note of it may never do so. */
const isGone = async (processId: number): Promise<boolean> => {
  try {
    const stat = await readFile(`/proc/${processId}/stat`, 'utf8');
    // The name in parentheses can hold anything; the state is the letter after the last one.
    return /^\) [ZX]/.test(stat.slice(stat.lastIndexOf(')')));
  } catch {
    return true;
  }
};

export const awaitGone = async (processId: number): Promise<void> => {
  for (let look = 0; look < MAX_LOOKS && !(await isGone(processId)); look += 1) await sleep(LOOK_EVERY_MS);
};
