import { type Command, InvalidArgumentError } from 'commander';
import type { ExportOptions } from './messages-export.ts';
import type { RunCommand } from '../terminal/run-command.ts';

const parseNumber = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number from 1');
};

/** The four sub-commands for the protocol between authors and reviewers. */
export const addMessagesCommand = (program: Command, run: RunCommand): void => {
  const messages = program.command('messages').description('the messages between an author and a reviewer, as files');
  messages
    .command('validate')
    .description('say everything that is wrong with messages and packets')
    .argument('<file...>', 'YAML files of one document or more, folders of them, or - for standard input')
    .addHelpText('after', '\nExit code: 0 all valid, 1 something is not, 2 bad usage.')
    .action(async (files: string[]) =>
      run(import('./messages.ts').then(async ({ validateMessages }) => validateMessages(files))),
    );
  messages
    .command('export')
    .description('every round of a change request, or one local review, as messages and packets')
    .argument('<what>', 'FORGE/PROJECT_ID/NUMBER, or a file that "fixpoint review --format json" has printed')
    .option('--config <file>', 'configuration file (default: fixpoint.toml)')
    .option('--out <dir>', 'one file per message and packet instead of one YAML stream')
    .option('--pr <number>', 'for a local review: the number of the change request', parseNumber, 1)
    .option('--author <name>', 'for a local review: to whom it goes', 'author')
    .action(async (what: string, options: ExportOptions) =>
      run(import('./messages-export.ts').then(async ({ exportMessages }) => exportMessages(what, options, Date.now()))),
    );
  messages
    .command('inbox')
    .description('what waits in a folder, the most urgent first')
    .argument('<dir>', 'a folder with one message per file')
    .option('--after <id>', 'only what came after the message with this id')
    .action(async (folder: string, { after }: { readonly after?: string }) =>
      run(import('./messages.ts').then(async ({ showInbox }) => showInbox(folder, after ?? null, Date.now()))),
    );
  messages
    .command('outbox')
    .description('put messages into a folder, one file each')
    .argument('<dir>', 'the folder; made when it is not there')
    .argument('<file...>', 'YAML files of one document or more, or - for standard input')
    .action(async (folder: string, files: string[]) =>
      run(import('./messages.ts').then(async ({ fillOutbox }) => fillOutbox(folder, files))),
    );
};
