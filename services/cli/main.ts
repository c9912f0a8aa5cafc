#!/usr/bin/env node
import { AppError } from '../../shared/errors.ts';
import { escapeForTerminal } from '../../shared/text/visible.ts';
import { createProgram } from './program.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';

/**
 * EPIPE means that the reader closed the pipe, as `head` does. The command goes on, because it may be writing to a forge or
 * paying for a model, and only its own exit code says how it ended: the code 0 would be a verdict.
 */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`fixpoint: the output cannot be written (${String(error.code)})\n`);
  process.exit(EXIT_CODES.usage);
});
// Progress and notices have no reader any more, which is no reason to end the command.
process.stderr.on('error', () => {});

const run = async (command: Promise<number>): Promise<void> => {
  try {
    process.exitCode = await command;
  } catch (error) {
    const message = error instanceof AppError ? error.message : String(error);
    process.stderr.write(`fixpoint: ${escapeForTerminal(message)}\n`);
    process.exitCode = EXIT_CODES.usage;
  }
};

/** The store inside this process has timers that outlive the work, so the process exits once everything is written. */
const leave = async (command: Promise<number>): Promise<void> => {
  await run(command);
  process.stdout.write('', () => process.exit());
};

await createProgram({ run, leave }).parseAsync();
