#!/usr/bin/env node
import { Command } from 'commander';
import { AppError } from '../../shared/errors.ts';
import { escapeForTerminal } from '../../shared/text/visible.ts';
import { ADDRESS_FORMS } from './address/parse-address.ts';
import type { BoundOptions } from './bound.ts';
import { addCiCommand } from './ci/ci-options.ts';
import type { DoctorOptions } from './doctor/doctor.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';
import type { IgnoredOptions } from './ignored.ts';
import { addLoopCommand } from './loop/loop-command.ts';
import { addMessagesCommand } from './messages/messages-command.ts';
import { addSetupCommand } from './setup/setup-options.ts';
import type { ReplayOptions } from './replay/replay.ts';
import { addReviewCommand } from './review/review-options.ts';
import type { StatusOptions } from './status.ts';
import type { UpOptions } from './up.ts';
import { VERSION } from './terminal/version.ts';
import type { WhyOptions } from './why.ts';

const program = new Command('fixpoint')
  .description('Reviews change requests and stops once a review has nothing new to say.')
  .version(VERSION)
  .configureOutput({ writeErr: (text) => void process.stderr.write(escapeForTerminal(text)) })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_CODES.usage));

/** EPIPE means that the reader closed the pipe, as `head` does. That is no failure, so the process exits quietly. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

/** Sets the exit code instead of exiting, so that pending output to stdout is still written. */
const run = async (command: Promise<number>): Promise<void> => {
  try {
    process.exitCode = await command;
  } catch (error) {
    const message = error instanceof AppError ? error.message : String(error);
    process.stderr.write(`fixpoint: ${escapeForTerminal(message)}\n`);
    process.exitCode = EXIT_CODES.usage;
  }
};

/** The store inside this process has timers that outlive the work, so the process leaves once everything is written. */
const leave = async (command: Promise<number>): Promise<void> => {
  await run(command);
  process.stdout.write('', () => process.exit());
};

program
  .command('up')
  .description('run all services, one process each')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .action(async (options: UpOptions) => run(import('./up.ts').then(async ({ up }) => up(options))));

addReviewCommand(program, {
  local: async (options) => run(import('./local-review.ts').then(async ({ runReview }) => runReview(options))),
  remote: async (address, options) =>
    leave(import('./remote-review.ts').then(async ({ runRemoteReview }) => runRemoteReview(address, options))),
});

addSetupCommand(program, run, async (options) => (await import('./setup/setup.ts')).setup(options));

addCiCommand(program, async (options) => leave(import('./ci-review.ts').then(async ({ runCi }) => runCi(options))));

program
  .command('diff-inspect')
  .description('print a diff as the reviewer sees it')
  .argument('<file>', 'a diff file, or - for standard input')
  .action(async (file: string) => run(import('./diff-inspect.ts').then(async ({ diffInspect }) => diffInspect(file))));

program
  .command('why')
  .description(
    'print the decisions about one change request with their reasons (the last 500, kept for 30 days after the last one)',
  )
  .argument('<change-request>', ADDRESS_FORMS)
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--format <format>', 'text or json', 'text')
  .action(async (reference: string, options: WhyOptions) =>
    run(import('./why.ts').then(async ({ why }) => why(reference, options))),
  );

program
  .command('bound')
  .description('print the maximum cost of one change request with this configuration')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--typical', 'also print the medians that were measured in the last 7 days (needs Redis)')
  .option('--format <format>', 'text or json', 'text')
  .action(async (options: BoundOptions) => run(import('./bound.ts').then(async ({ bound }) => bound(options))));

program
  .command('status')
  .description('print what is in progress and why it waits; with a change request, everything about one change request')
  .argument('[change-request]', ADDRESS_FORMS)
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--format <format>', 'text or json', 'text')
  .action(async (reference: string | undefined, options: StatusOptions) =>
    run(import('./status.ts').then(async ({ status }) => status(reference, options))),
  );

program
  .command('ignored')
  .description('list the [[ignore]] entries of a project, how often each was used, and which have no effect')
  .argument('<project>', 'FORGE/PROJECT_ID or FORGE/owner/name')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--branch <name>', "the target branch (default: the project's default branch)")
  .option('--format <format>', 'text or json', 'text')
  .action(async (project: string, options: IgnoredOptions) =>
    run(import('./ignored.ts').then(async ({ listIgnored }) => listIgnored(project, options))),
  );

program
  .command('replay')
  .description('replay a recorded run offline and compare the result with its draft')
  .argument('<run>', `the run id, as shown in the log, or a change request for its last run: ${ADDRESS_FORMS}`)
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--json', 'print the draft instead of the turns')
  .addHelpText('after', '\nExit code: 0 identical, 1 different, 2 bad usage or expired data.')
  .action(async (runId: string, options: ReplayOptions) =>
    run(import('./replay/replay.ts').then(async ({ replay }) => replay(runId, options))),
  );

program
  .command('doctor')
  .description('check the installation: print what is wrong and how to fix it')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--json', 'print the findings as JSON')
  .option('--call-model', 'also make one small, paid call to the model')
  .addHelpText('after', '\nExit code: 0 no check fails (warnings are allowed), 1 a check fails, 2 bad usage.')
  .action(async (options: DoctorOptions) =>
    run(import('./doctor/doctor.ts').then(async ({ doctor }) => doctor(options))),
  );

addMessagesCommand(program, run);
addLoopCommand(program, run);

await program.parseAsync();
