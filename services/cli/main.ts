#!/usr/bin/env node
import { AppError } from '../../shared/errors.ts';
import { escapeForTerminal } from '../../shared/text/visible.ts';
import { createProgram } from './program.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';

/**
 * EPIPE means that the reader closed the pipe, as `head` does. This is not a failure, so the process exits with code 0.
 */
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

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
