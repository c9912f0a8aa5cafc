/** Runs the operator's command in the cage, where it can change the checkout and otherwise sees only the machine's programs. */
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { ProcessStartError } from '../../../shared/workspace/process/command.ts';
import type { CommandAgentSettings } from './command.ts';

export type CagedRun = {
  readonly cage: Cage | null;
  /** When running as root, the user that must own the checkout so that the cage can change it; otherwise null. */
  readonly owner: number | null;
};

const handOver = async (root: string, owner: number): Promise<void> => {
  for (const path of ['', ...(await readdir(root, { recursive: true }))]) await lchown(join(root, path), owner, owner);
};

/** Throws `ProcessStartError` if there is no cage; the command never runs outside a cage. */
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
