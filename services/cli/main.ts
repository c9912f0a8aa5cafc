#!/usr/bin/env node
import { Command } from 'commander';
import { AppError } from '../../shared/errors.ts';
import { escapeForTerminal } from '../../shared/text/visible.ts';
import type { BoundOptions } from './bound.ts';
import type { DoctorOptions } from './doctor/doctor.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';
import { addLoopCommand } from './loop/loop-command.ts';
import { addMessagesCommand } from './messages/messages-command.ts';
import type { ReplayOptions } from './replay/replay.ts';
import { addReviewCommand } from './review/review-options.ts';
import type { StatusOptions } from './status.ts';
import type { UpOptions } from './up.ts';
import { VERSION } from './terminal/version.ts';
import type { WhyOptions } from './why.ts';

/** Each command loads what it needs when it is called: one that asks for help needs no forge, no model and no Redis. */
const program = new Command('fixpoint')
  .description('Reviews change requests until nothing changes, and stops.')
  .version(VERSION)
  .configureOutput({ writeErr: (text) => void process.stderr.write(escapeForTerminal(text)) })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_CODES.usage));

/** The reader of the output closed it, as `head` does. That is no failure, so the process ends quietly. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

/** The exit code is set, not forced: what is still being written to stdout gets out. */
const run = async (command: Promise<number>): Promise<void> => {
  try {
    process.exitCode = await command;
  } catch (error) {
    const message = error instanceof AppError ? error.message : String(error);
    process.stderr.write(`fixpoint: ${escapeForTerminal(message)}\n`);
    process.exitCode = EXIT_CODES.usage;
  }
};

program
  .command('up')
  .description('run all services, one process each')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .action(async (options: UpOptions) => run(import('./up.ts').then(async ({ up }) => up(options))));

addReviewCommand(program, run, async (options) => (await import('./review/review.ts')).runReview(options));

program
  .command('diff-inspect')
  .description('print what the diff engine sees in a diff')
  .argument('<file>', 'a file with a diff, or - for standard input')
  .action(async (file: string) => run(import('./diff-inspect.ts').then(async ({ diffInspect }) => diffInspect(file))));

program
  .command('why')
  .description('the decisions about one change request, with their reasons: the last 500, for 30 days after the last')
  .argument('<reference>', 'FORGE/PROJECT_ID/NUMBER')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--format <format>', 'text or json', 'text')
  .action(async (reference: string, options: WhyOptions) =>
    run(import('./why.ts').then(async ({ why }) => why(reference, options))),
  );

program
  .command('bound')
  .description('what one change request can cost at most, for this configuration')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--format <format>', 'text or json', 'text')
  .action(async (options: BoundOptions) => run(import('./bound.ts').then(async ({ bound }) => bound(options))));

program
  .command('status')
  .description('what is in work and why it waits; with a reference, all that is known about one change request')
  .argument('[reference]', 'FORGE/PROJECT_ID/NUMBER')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--format <format>', 'text or json', 'text')
  .action(async (reference: string | undefined, options: StatusOptions) =>
    run(import('./status.ts').then(async ({ status }) => status(reference, options))),
  );

program
  .command('replay')
  .description('a recorded run again, without network, compared with the draft that it gave')
  .argument('<run>', 'the id of the run, as it stands in the log')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--json', 'print the draft instead of the turns')
  .addHelpText('after', '\nExit code: 0 identical, 1 it differs, 2 bad usage, or something is not there any more.')
  .action(async (runId: string, options: ReplayOptions) =>
    run(import('./replay/replay.ts').then(async ({ replay }) => replay(runId, options))),
  );

program
  .command('doctor')
  .description('look at the whole installation: what is wrong, and how to put it right')
  .option('--config <file>', 'configuration file (default: fixpoint.toml)')
  .option('--json', 'print the findings as JSON')
  .option('--call-model', 'also make one small call of the model, which costs')
  .addHelpText('after', '\nExit code: 0 nothing fails (warnings may stand), 1 something fails, 2 bad usage.')
  .action(async (options: DoctorOptions) =>
    run(import('./doctor/doctor.ts').then(async ({ doctor }) => doctor(options))),
  );

addMessagesCommand(program, run);
addLoopCommand(program, run);

await program.parseAsync();
