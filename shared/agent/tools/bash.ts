import { z } from 'zod';
import { describeBash, parseBashCommand } from '../../workspace/bash/bash-command.ts';
import { BASH_OUTPUT_BYTES, BASH_TIMEOUT_MS, type BashRunner } from '../../workspace/bash/bash-runner.ts';
import { MAX_COMMAND_CHARACTERS } from '../../workspace/bash/bash-words.ts';
import type { Protect } from '../present-result.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import { presentOutput } from './bash-output.ts';
import { createReadSources } from './bash-sources.ts';

export const BASH = 'Bash';

const Input = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND_CHARACTERS)
    .describe("one command on one line, such as: git log -n 5 -p 'HEAD~3..HEAD' -- src/a.ts"),
});

const DESCRIPTION = `Runs one read-only command on the history and the tree of the repository. It is not a shell: no pipes, variables or redirections. The PATH of git log, show, diff, grep and ls-files may be a pattern in quotes, such as '*.ts' or 'src/**/*.ts'. A word needs quotes if it has characters other than letters, digits and . _ / - : = , + @ % ~ ^. HEAD is the head under review; base is the commit that HEAD is compared with. A command ends after ${BASH_TIMEOUT_MS / 1000} s or ${BASH_OUTPUT_BYTES / 1024} KiB of output. Only these commands and options exist:
${describeBash()}`;

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
