import type { Config } from '../../shared/config/load.ts';
import type { Cage } from '../../shared/workspace/cage/cage.ts';
import type { FixAgent } from './change/agent.ts';
import { createCagedRun } from './agents/caged-run.ts';
import { createCommandAgent } from './agents/command.ts';
import { createJsonProtocol } from './agents/json-protocol.ts';
import { createReviewLoopProtocol } from './agents/review-loop-protocol.ts';
import { AuthorOffError } from './errors.ts';

export type CommandPlace = {
  readonly scratchFolder: string;
  readonly path: string | undefined;
  /** Null if no cage is available; a program that requires a cage then does not run. */
  readonly cage: Cage | null;
};

const isRoot = (): boolean => process.getuid?.() === 0;

/** Creates the agent for `author.agent` `command` or `messages`. @throws AuthorOffError if no program is named. */
export const connectCommand = (
  { author, messages, sandbox }: Pick<Config, 'author' | 'messages' | 'sandbox'>,
  { scratchFolder, path, cage }: CommandPlace,
): FixAgent => {
  const [file, ...args] = author.command;
  // The settings schema ensures that an enabled command has a program.
  if (file === undefined) throw new AuthorOffError();
  return createCommandAgent({
    command: [file, ...args],
    path: path ?? '',
    scratchFolder,
    speech:
      author.agent === 'messages'
        ? createReviewLoopProtocol({ ownName: messages.name, nowMs: () => Date.now() })
        : createJsonProtocol(),
    ...(author.caged ? { run: createCagedRun({ cage, owner: isRoot() ? sandbox.uid : null }) } : {}),
  });
};
