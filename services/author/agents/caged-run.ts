/** The operator's command in the cage: it may change the checkout, and sees nothing else but the machine's programs. */
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { ProcessStartError } from '../../../shared/workspace/process/command.ts';
import type { CommandAgentSettings } from './command.ts';

export type CagedRun = {
  readonly cage: Cage | null;
  /** Whose the checkout must be to be changed in the cage, where we are root; null where it is ours and the cage is too. */
  readonly owner: number | null;
};

const handOver = async (root: string, owner: number): Promise<void> => {
  for (const path of ['', ...(await readdir(root, { recursive: true }))]) await lchown(join(root, path), owner, owner);
};

/** Throws `ProcessStartError` where there is no cage: nothing is ever run without one instead. */
export const createCagedRun =
  ({ cage, owner }: CagedRun): NonNullable<CommandAgentSettings['run']> =>
  async ({ file, args, input, cwd, timeoutMs, maxStdoutBytes }, signal) => {
    if (cage === null) {
      const message = 'author.caged is set but no cage is available';
      throw new ProcessStartError({ code: 'CAGE_NOT_STARTED', message, disposition: { kind: 'fail' } });
    }
    if (owner !== null) await handOver(cwd, owner);
    const { code, stdout, stderr, timedOut, truncated } = await cage.run([file, ...args], {
      workspace: cwd,
      isWritable: true,
      env: { HOME: '/tmp', TMPDIR: '/tmp' },
      ...(input === undefined ? {} : { stdin: input }),
      timeoutMs,
      outputBytes: maxStdoutBytes,
      signal,
    });
    return { exitCode: code, stdout, stderr, timedOut, truncated };
  };
