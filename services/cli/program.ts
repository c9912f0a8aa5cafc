/** The command line: every command with its options. The code of a command is loaded when the command runs. */
import { Argument, Command } from 'commander';
import { SPENDING_KEPT_DAYS } from '../../shared/store/spending/spending-record.ts';
import { SPENDING_COLUMNS } from '../../shared/store/spending/sum-spending.ts';
import { escapeForTerminal } from '../../shared/text/visible.ts';
import { ADDRESS_FORMS } from './address/parse-address.ts';
import type { BoundOptions } from './bound.ts';
import { addCiCommand } from './ci/ci-options.ts';
import { addConfigCommand } from './config/config-command.ts';
import type { CostOptions } from './cost/parse-cost-options.ts';
import type { DoctorOptions } from './doctor/doctor.ts';
import type { HealthOptions } from './health.ts';
import type { IgnoredOptions } from './ignored.ts';
import { addEvalCommand } from './eval/eval-command.ts';
import { addJobsCommand } from './jobs/jobs-command.ts';
import { addLoopCommand } from './loop/loop-command.ts';
import { addMessagesCommand } from './messages/messages-command.ts';
import type { PauseOptions } from './pause-project.ts';
import type { ReplayOptions } from './replay/replay.ts';
import { addReviewCommand } from './review/review-options.ts';
import { addRulesCommand } from './rules/rules-command.ts';
import type { EnvFilesOptions } from './setup/env-files.ts';
import { addSetupCommand } from './setup/setup-options.ts';
import { treeOf } from './shell/command-tree.ts';
import { completionFor, type Shell, SHELLS } from './shell/completion.ts';
import type { StatusOptions } from './status.ts';
import { EXIT_CODES, EXIT_MEANINGS } from './terminal/exit-codes.ts';
import type { RunCommand } from './terminal/run-command.ts';
import { VERSION } from '../../shared/version.ts';
import type { UpOptions } from './up.ts';
import type { WhyOptions } from './why.ts';

export type Runners = {
  /** Sets the exit code instead of exiting, so that pending output is still written. */
  readonly run: RunCommand;
  /** Also ends the process, once everything is written. */
  readonly leave: RunCommand;
};

export const createProgram = ({ run, leave }: Runners): Command => {
  const program = new Command('fixpoint')
    .description('Reviews change requests and stops once a review has nothing new to say.')
    .version(VERSION)
    .configureOutput({ writeErr: (text) => void process.stderr.write(escapeForTerminal(text)) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_CODES.usage))
    .addHelpText('after', ROOT_TEXT);
  addUp(program, run);
  addReviewCommand(program, {
    local: async (options) => run(import('./local-review.ts').then(async ({ runReview }) => runReview(options))),
    remote: async (address, options) =>
      leave(import('./remote-review.ts').then(async ({ runRemoteReview }) => runRemoteReview(address, options))),
  });
  addSetupCommand(program, run, async (options) => (await import('./setup/setup.ts')).setup(options));
  addCiCommand(program, async (options) => leave(import('./ci-review.ts').then(async ({ runCi }) => runCi(options))));
  addDiffInspect(program, run);
  addWhy(program, run);
  addBound(program, run);
  addStatus(program, run);
  addJobsCommand(program, run);
  addPause(program, run);
  addCost(program, run);
  addIgnored(program, run);
  addReplay(program, run);
  addDoctor(program, run);
  addHealth(program, run);
  addEnvFiles(program, run);
  addConfigCommand(program, run);
  addRulesCommand(program, run);
  addMessagesCommand(program, run);
  addLoopCommand(program, run);
  addEvalCommand(program, run);
  addCompletion(program);
  // Otherwise the options behind `jobs retry` would be read as those of `jobs`.
  program.enablePositionalOptions();
  return program;
};

const ROOT_TEXT = `
Examples:
  fixpoint review                                            the commits of this branch
  fixpoint review --worktree                                 what is not committed yet
  fixpoint review https://forge.example.com/owner/name/pulls/7
  fixpoint status owner/name#7                               what a server is doing with a change request
  fixpoint setup && fixpoint up                              a server

Exit codes of reviews (the help of each other command lists its own):
${EXIT_MEANINGS.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')}`;

const CONFIG = ['--config <file>', 'configuration file (default: fixpoint.toml)'] as const;
const FORMAT = ['--format <format>', 'text or json', 'text'] as const;
const ZERO_OR_TWO = '\nExit code: 0, or 2 for bad usage, configuration, address or token.';

const addUp = (program: Command, run: RunCommand): void => {
  program
    .command('up')
    .description('run all services, one process each')
    .option(...CONFIG)
    .action(async (options: UpOptions) => run(import('./up.ts').then(async ({ up }) => up(options))));
};

const addDiffInspect = (program: Command, run: RunCommand): void => {
  program
    .command('diff-inspect')
    .description('print a diff as the reviewer sees it')
    .argument('<file>', 'a diff file, or - for standard input')
    .addHelpText('after', '\nExample:\n  git diff | fixpoint diff-inspect -')
    .action(async (file: string) =>
      run(import('./diff-inspect.ts').then(async ({ diffInspect }) => diffInspect(file))),
    );
};

const addWhy = (program: Command, run: RunCommand): void => {
  program
    .command('why')
    .description(
      'print the decisions about one change request with their reasons (the last 500, kept for 30 days after the last one)',
    )
    .argument('<change-request>', ADDRESS_FORMS)
    .option(...CONFIG)
    .option(...FORMAT)
    .addHelpText('after', `\nExample:\n  fixpoint why owner/name#7\n${ZERO_OR_TWO}`)
    .action(async (reference: string, options: WhyOptions) =>
      run(import('./why.ts').then(async ({ why }) => why(reference, options))),
    );
};

const addBound = (program: Command, run: RunCommand): void => {
  program
    .command('bound')
    .description('print the maximum cost of one change request with this configuration')
    .argument('[project]', 'owner/name, or FORGE/owner/name: with the [[project]] sections that match it')
    .option(...CONFIG)
    .option('--typical', 'also print the medians that were measured in the last 7 days (needs Redis)')
    .option(...FORMAT)
    .action(async (project: string | undefined, options: BoundOptions) =>
      run(import('./bound.ts').then(async ({ bound }) => bound(project ?? null, options))),
    );
};

const addStatus = (program: Command, run: RunCommand): void => {
  program
    .command('status')
    .description(
      'print what is in progress and why it waits; with a change request, everything about one change request',
    )
    .argument('[change-request]', ADDRESS_FORMS)
    .option(...CONFIG)
    .option(...FORMAT)
    .addHelpText('after', `\nExamples:\n  fixpoint status\n  fixpoint status owner/name#7\n${ZERO_OR_TWO}`)
    .action(async (reference: string | undefined, options: StatusOptions) =>
      run(import('./status.ts').then(async ({ status }) => status(reference, options))),
    );
};

const addPause = (program: Command, run: RunCommand): void => {
  const project = ['<project>', 'FORGE/PROJECT_ID, such as main/42'] as const;
  program
    .command('pause')
    .description('start no further review in a project and post nothing there; its events wait until it continues')
    .argument(...project)
    .option(...CONFIG)
    .addHelpText('after', ZERO_OR_TWO)
    .action(async (reference: string, options: PauseOptions) =>
      run(import('./pause-project.ts').then(async ({ pauseProject }) => pauseProject(reference, options))),
    );
  program
    .command('continue')
    .description('continue a paused project: each change request that waited is reviewed at its newest head')
    .argument(...project)
    .option(...CONFIG)
    .addHelpText('after', ZERO_OR_TWO)
    .action(async (reference: string, options: PauseOptions) =>
      run(import('./pause-project.ts').then(async ({ continueProject }) => continueProject(reference, options))),
    );
};

const addCost = (program: Command, run: RunCommand): void => {
  program
    .command('cost')
    .description(`print what model calls cost (kept for ${SPENDING_KEPT_DAYS} days)`)
    .option(...CONFIG)
    .option('--since <when>', 'the first day: a date such as 2026-11-01, or a number of days up to today', '30d')
    .option('--until <date>', 'the last day (default: today)')
    .option('--by <columns>', `with commas, some of: ${SPENDING_COLUMNS.join(', ')}`, 'project')
    .option('--format <format>', 'text, json or csv', 'text')
    .addHelpText('after', `\nExample:\n  fixpoint cost --since 7d --by day,model\n\nDays are in UTC.${ZERO_OR_TWO}`)
    .action(async (options: CostOptions) => run(import('./cost/cost.ts').then(async ({ cost }) => cost(options))));
};

const addIgnored = (program: Command, run: RunCommand): void => {
  program
    .command('ignored')
    .description('list the [[ignore]] entries of a project, how often each was used, and which have no effect')
    .argument('<project>', 'FORGE/PROJECT_ID or FORGE/owner/name')
    .option(...CONFIG)
    .option('--branch <name>', "the target branch (default: the project's default branch)")
    .option(...FORMAT)
    .action(async (project: string, options: IgnoredOptions) =>
      run(import('./ignored.ts').then(async ({ listIgnored }) => listIgnored(project, options))),
    );
};

const addReplay = (program: Command, run: RunCommand): void => {
  program
    .command('replay')
    .description('replay a recorded run offline and compare the result with its draft')
    .argument('<run>', `the run id, as shown in the log, or a change request for its last run: ${ADDRESS_FORMS}`)
    .option(...CONFIG)
    .option('--json', 'print the draft instead of the turns')
    .addHelpText('after', '\nExample:\n  fixpoint replay owner/name#7')
    .addHelpText('after', '\nExit code: 0 identical, 1 different, 2 bad usage or expired data.')
    .action(async (what: string, options: ReplayOptions) =>
      run(import('./replay/replay.ts').then(async ({ replay }) => replay(what, options))),
    );
};

const addDoctor = (program: Command, run: RunCommand): void => {
  program
    .command('doctor')
    .argument('[service]', 'only what this service depends on, with only its secrets (default: the whole installation)')
    .description('check the installation: print what is wrong and how to fix it')
    .option(...CONFIG)
    .option('--json', 'print the findings as JSON')
    .option('--call-model', 'also make two small, paid calls to each model in use, and say what it can do')
    .addHelpText('after', '\nExit code: 0 no check fails (warnings are allowed), 1 a check fails, 2 bad usage.')
    .action(async (service: string | undefined, options: DoctorOptions) =>
      run(import('./doctor/doctor.ts').then(async ({ doctor }) => doctor(service, options))),
    );
};

const addHealth = (program: Command, run: RunCommand): void => {
  program
    .command('health')
    .description('ask the services on this machine whether they are ready, as the health check of a container does')
    .argument('[service]', 'ingress, guard, reviewer, explorer, poster, author or console (default: all that run)')
    .option(...CONFIG)
    .addHelpText('after', '\nExit code: 0 ready, 1 not ready, 2 bad usage.')
    .action(async (service: string | undefined, options: HealthOptions) =>
      run(import('./health.ts').then(async ({ health }) => health(service, options))),
    );
};

const addEnvFiles = (program: Command, run: RunCommand): void => {
  program
    .command('env-files')
    .description('write one environment file for each container of docker-compose.yml, from the configuration and .env')
    .option(...CONFIG)
    .option('--env-file <file>', 'environment file (default: .env beside the configuration)')
    .option('--check', 'write nothing; exit 1 if a file differs')
    .option('--kubernetes', 'write nothing; print a Secret for each service, for kubectl apply -f -')
    .action(async (options: EnvFilesOptions) =>
      run(import('./setup/env-files.ts').then(async ({ envFiles }) => envFiles(options))),
    );
};

const addCompletion = (program: Command): void => {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(fixpoint completion bash)       in ~/.bashrc\n  source <(fixpoint completion zsh)        in ~/.zshrc, below compinit\n  fixpoint completion fish | source        in ~/.config/fish/config.fish',
    )
    .action((shell: Shell) => void process.stdout.write(completionFor(shell, treeOf(program))));
};
