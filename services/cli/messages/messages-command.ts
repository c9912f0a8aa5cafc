import { type Command, InvalidArgumentError } from 'commander';
import type { ExportOptions } from './messages-export.ts';
import type { RunCommand } from '../terminal/run-command.ts';

const parseNumber = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number of at least 1');
};

export const addMessagesCommand = (program: Command, run: RunCommand): void => {
  const messages = program
    .command('messages')
    .description('work with protocol messages between an author and a reviewer');
  messages
    .command('validate')
    .description('report all errors in messages and packets')
    .argument('<file...>', 'YAML files with one or more documents, folders of them, or - for standard input')
    .addHelpText('after', '\nExit code: 0 all valid, 1 something invalid, 2 bad usage.')
    .action(async (files: string[]) =>
      run(import('./messages.ts').then(async ({ validateMessages }) => validateMessages(files))),
    );
  messages
    .command('export')
    .description('export every review of a change request, or one local review, as messages and packets')
    .argument('<what>', 'FORGE/PROJECT_ID/NUMBER, or a file with output of "fixpoint review --format json"')
    .option('--config <file>', 'configuration file (default: fixpoint.toml)')
    .option('--out <dir>', 'one file per message and packet instead of one YAML stream')
    .option('--pr <number>', 'for a local review: the number of the change request', parseNumber, 1)
    .option('--author <name>', 'for a local review: the recipient', 'author')
    .action(async (what: string, options: ExportOptions) =>
      run(import('./messages-export.ts').then(async ({ exportMessages }) => exportMessages(what, options, Date.now()))),
    );
  messages
    .command('inbox')
    .description('list the messages in a folder, the most urgent first')
    .argument('<dir>', 'a folder with one message per file')
    .option('--after <id>', 'only messages after the one with this id')
    .action(async (folder: string, { after }: { readonly after?: string }) =>
      run(import('./messages.ts').then(async ({ showInbox }) => showInbox(folder, after ?? null, Date.now()))),
    );
  messages
    .command('outbox')
    .description('store messages in a folder, one file each')
    .argument('<dir>', 'the folder; created if missing')
    .argument('<file...>', 'YAML files with one or more documents, or - for standard input')
    .action(async (folder: string, files: string[]) =>
      run(import('./messages.ts').then(async ({ fillOutbox }) => fillOutbox(folder, files))),
    );
};
