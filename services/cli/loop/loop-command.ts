import { type Command, Option } from 'commander';
import type { LoopOptions } from './loop.ts';
import type { RunCommand } from '../terminal/run-command.ts';

/** Text that is not a number is kept, so that the schema can report which setting is wrong. */
const number = (text: string): number | string => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);

const EXIT_TEXT = `
Settings are also read from .fixpoint/loop.toml of the repository and ~/.config/fixpoint/loop.toml; flags take precedence.
Exit code: 0 done, 1 an iteration failed, 2 bad usage or settings, 3 a task changed nothing, 129 stopped by
SIGHUP, 130 by SIGINT, 143 by SIGTERM. The last lines list the remaining worktrees and branches.`;

const AGENTS = 'codex, claude, copilot, command (any program) or messages (a program that speaks the protocol)';

const addAgentOptions = (command: Command): Command =>
  command
    .option('--provider <name>', `implementer and fixer: ${AGENTS}`)
    .option('-m, --model <name>', "its model (default: the provider's own)")
    .option('-c, --command <words>', 'its program and first arguments')
    .option('--reviewer-provider <name>', 'provider of the reviewer, if different')
    .option('--reviewer-model <name>', "the reviewer's model")
    .option('--reviewer-command <words>', "the reviewer's program and first arguments")
    .option('--reasoning-effort <effort>', 'low, medium or high, if the provider supports it')
    .option('--yolo', 'let implementer and fixer run anything without asking')
    .option('--no-yolo', 'restrict implementer and fixer to the worktree (default)')
    .option('--agent-timeout <seconds>', 'time limit for one run of one agent', number);

const addReviewOptions = (command: Command): Command =>
  command
    .addOption(new Option('--review', 'review each task, and fix it until it passes'))
    .addOption(new Option('--no-review', 'no review (default)'))
    .option('--review-max-fix-attempts <n>', 'maximum number of fixes per task (default: 5)', number)
    .option('--stop-when-not-converging', 'stop when the same drift is reported for an unchanged tree (default)')
    .option('--no-stop-when-not-converging', 'use all fix attempts even when the same drift is reported')
    .option(
      '--developer-prompt <path>',
      'default: .ai_agents/prompts/developer.md, then .ai_agents/prompt.md, then a built-in prompt',
    )
    .option('-p, --prompt <path>', 'older name of --developer-prompt; ignored if that is set')
    .option('--reviewer-prompt <path>', 'default: .ai_agents/prompts/reviewer.md, then a built-in prompt')
    .option('--init-prompts', 'write the built-in prompts to .ai_agents/prompts, keep existing files, and exit')
    .option('--force-init-prompts', 'write the built-in prompts, overwrite existing files, and exit');

const addTaskOptions = (command: Command): Command =>
  command
    .option('--task <text>', 'one task (default: the tasks that `bd ready` lists)')
    .option('--tasks <file>', 'one task per line, a list with check boxes, or JSON')
    .option('--task-source <source>', 'auto, or bd: require the task list of bd (default: auto)')
    .option('--task-mode <mode>', 'auto, or top-level: only beads below --top-level-task (default: auto)')
    .addOption(new Option('--bead-mode <mode>', 'the same as --task-mode').conflicts('taskMode'))
    .option('--top-level-task <id>', 'work only on tasks below this bead');

const addViewOptions = (command: Command): Command =>
  command
    .option('-l, --preview <lines>', 'lines of output shown per slot (default: 3)', number)
    .option('--view <kind>', 'auto, ink, ansi or lines')
    .option('--theme <name>', 'default, or mono: no colours')
    .option('--show-raw', 'show the raw output of agents, including events')
    .option('--no-show-raw', 'show only messages and commands of agents (default)');

type Flags = LoopOptions & {
  readonly review?: boolean;
  readonly developerPrompt?: string;
  readonly prompt?: string;
  readonly reviewerPrompt?: string;
  readonly taskMode?: string;
  readonly beadMode?: string;
  readonly stopMarker?: readonly string[];
};

/** Drops defaults of flag pairs such as `--x` and `--no-x`: a flag that was not given must not override a file. */
const settingsOf = (command: Command, flags: Flags): LoopOptions => {
  const { review, developerPrompt, prompt, reviewerPrompt, taskMode, beadMode, stopMarker, ...rest } = flags;
  const given = Object.entries(rest).filter(
    ([name]) => command.getOptionValueSource(name) !== 'default' || name === 'repo',
  );
  return {
    repo: flags.repo,
    ...Object.fromEntries(given),
    ...(command.getOptionValueSource('review') === 'cli' ? { reviewEnabled: review } : {}),
    developerPromptPath: developerPrompt,
    promptPath: prompt,
    reviewerPromptPath: reviewerPrompt,
    taskMode: taskMode ?? beadMode,
    stopMarkers: stopMarker,
  };
};

export const addLoopCommand = (program: Command, run: RunCommand): void => {
  const command = program
    .command('loop')
    .description('work on tasks in this repository: implement, review and fix each until it passes or fails')
    .option('--repo <dir>', 'the repository', '.')
    .option('-n, --iterations <n>', 'maximum number of iterations (default: 50)', number)
    .option('-P, --parallel <n>', 'number of parallel slots, each in its own worktree (default: 1)', number)
    .option('--pause-ms <ms>', 'pause between two iterations', number)
    .option('--stop-marker <word...>', 'what an agent prints when no task is left (default: no_beads_available)')
    .option('--log-dir <dir>', 'one file per run of an agent (default: .fixpoint/loop/logs)');
  addViewOptions(addReviewOptions(addAgentOptions(addTaskOptions(command)))).addHelpText('after', EXIT_TEXT);
  command.action(async (flags: Flags) =>
    run(import('./loop.ts').then(async ({ loop }) => loop(settingsOf(command, flags)))),
  );
};
