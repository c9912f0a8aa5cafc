/** Waits for the first process of a cage to end. The kernel ends it only after all other processes of the cage. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 2;
/** About 10 s, because a busy machine can take long to end processes. */
const MAX_LOOKS = 5_000;

/** A zombie counts as gone, because its parent may never reap it. */
const isGone = async (processId: number): Promise<boolean> => {
  try {
    const stat = await readFile(`/proc/${processId}/stat`, 'utf8');
    // The process name, in parentheses, can contain any character; the state follows the last `)`.
    return /^\) [ZX]/.test(stat.slice(stat.lastIndexOf(')')));
  } catch {
    return true;
  }
};

export const awaitGone = async (processId: number): Promise<void> => {
  for (let look = 0; look < MAX_LOOKS && !(await isGone(processId)); look += 1) await sleep(LOOK_EVERY_MS);
};
