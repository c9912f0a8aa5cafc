/** The command line of each kind of agent. Pure. A reviewer gets read access only. */
import type { AgentChoice, Provider } from '../settings/settings.ts';

export type AgentRole = 'implementer' | 'reviewer' | 'fixer';

export type AgentCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly input: string;
};

export type CommandWish = {
  readonly choice: AgentChoice;
  readonly role: AgentRole;
  readonly prompt: string;
  readonly reasoningEffort: 'low' | 'medium' | 'high' | null;
  readonly yolo: boolean;
};

type Adapter = (wish: CommandWish) => { readonly args: readonly string[]; readonly input: string };

const flag = (name: string, value: string | null): readonly string[] =>
  value === null || value === '' ? [] : [name, value];

/** https://docs.claude.com/en/docs/claude-code/cli-reference */
const claude: Adapter = ({ choice, role, prompt, yolo }) => {
  const writing = yolo ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'acceptEdits'];
  const reading = ['--allowedTools', 'Read,Glob,Grep', '--disallowedTools', 'Edit,Write,NotebookEdit,Bash'];
  return {
    args: [
      '--print',
      '--output-format',
      'stream-json',
      '--verbose',
      ...flag('--model', choice.model),
      ...(role === 'reviewer' ? reading : writing),
    ],
    input: prompt,
  };
};

/** https://developers.openai.com/codex/cli/reference */
const codex: Adapter = ({ choice, role, prompt, yolo, reasoningEffort }) => {
  const writing = yolo ? ['--dangerously-bypass-approvals-and-sandbox'] : ['--sandbox', 'workspace-write'];
  return {
    args: [
      'exec',
      '--json',
      ...flag('--model', choice.model),
      ...(reasoningEffort === null ? [] : ['--config', `model_reasoning_effort="${reasoningEffort}"`]),
      ...(role === 'reviewer' ? ['--sandbox', 'read-only'] : writing),
      '-',
    ],
    input: prompt,
  };
};

/**
 * Without `--prompt` the program reads its prompt from standard input; an argument could hold at most 128 KiB. A reviewer is
 * silent, because otherwise its usage follows its verdict.
 * https://docs.github.com/en/copilot/how-tos/copilot-cli/automate-copilot-cli/run-cli-programmatically
 */
const copilot: Adapter = ({ choice, role, prompt, yolo }) => {
  const writing = yolo ? ['--allow-all-tools'] : ['--allow-tool', 'write'];
  const reading = ['--silent', '--deny-tool', 'write', '--deny-tool', 'shell'];
  return {
    args: [...flag('--model', choice.model), ...(role === 'reviewer' ? reading : writing)],
    input: prompt,
  };
};

const plain: Adapter = ({ prompt }) => ({ args: [], input: prompt });

const ADAPTERS: Readonly<Record<Provider, Adapter>> = { claude, codex, copilot, command: plain, messages: plain };

export const agentCommand = (wish: CommandWish): AgentCommand => {
  const { provider, command } = wish.choice;
  const [file = provider, ...before] = command;
  const { args, input } = ADAPTERS[provider](wish);
  return { file, args: [...before, ...args], input };
};
