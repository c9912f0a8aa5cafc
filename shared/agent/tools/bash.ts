import { z } from 'zod';
import { describeBash, parseBashCommand } from '../../workspace/bash/bash-command.ts';
import type { BashRunner } from '../../workspace/bash/bash-runner.ts';
import { MAX_COMMAND_CHARACTERS } from '../../workspace/bash/bash-words.ts';
import type { Protect } from '../present-result.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import { presentOutput } from './bash-output.ts';
import { createReadSources } from './bash-sources.ts';

export const BASH = 'Bash';

const Input = z.strictObject({
  command: z.string().min(1).max(MAX_COMMAND_CHARACTERS),
});

const DESCRIPTION = `Runs one read-only command, without a shell: ${describeBash()}. HEAD is the commit under review, base its merge base: git log -p base..HEAD -- 'src/*.ts'.`;

/** Runs one allowlisted command in the cage. A refused command starts nothing; the result names the refused word. */
export const createBashTool = (run: BashRunner, protect: Protect): Tool => {
  const read = createReadSources(run, protect);
  return defineTool({
    name: BASH,
    description: DESCRIPTION,
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    habits: { names: { cmd: 'command' }, silent: ['timeout', 'run_in_background'] },
    run: async ({ command: text }, signal) => {
      const command = parseBashCommand(text);
      if (command.kind === 'refused') {
        return failed(`refused${command.word === '' ? '' : ` at ${command.word.slice(0, 200)}`}: ${command.reason}`);
      }
      const { program, args, patterns } = command;
      const result = await run({ program, args, ...(patterns ? { patterns } : {}) }, signal);
      return presentOutput(command, result, { read, signal });
    },
  });
};
