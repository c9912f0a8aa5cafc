import type { Command } from 'commander';
import type { RunCommand } from '../terminal/run-command.ts';
import type { ConfigCheckOptions } from './config-check.ts';
import type { ConfigShowOptions } from './config-show.ts';

const CONFIG = ['--config <file>', 'configuration file (default: fixpoint.toml)'] as const;

export const addConfigCommand = (program: Command, run: RunCommand): void => {
  const config = program
    .command('config')
    .description('check the configuration file, and show what applies to a project');
  config
    .command('show')
    .description('print each setting of a project and the place that set it; needs no secrets and asks no forge')
    .argument('<project>', 'owner/name, or FORGE/owner/name if several forges serve a project of this name')
    .option(...CONFIG)
    .option('--format <format>', 'text or json', 'text')
    .addHelpText(
      'after',
      '\nExample:\n  fixpoint config show owner/name\n\nExit code: 0 printed, 2 a mistake in the file or bad usage.',
    )
    .action(async (project: string, options: ConfigShowOptions) =>
      run(import('./config-show.ts').then(async ({ showConfig }) => showConfig(project, options))),
    );
  config
    .command('check')
    .description('print every mistake in the configuration file, each with its line; needs no secrets')
    .option(...CONFIG)
    .addHelpText('after', '\nExit code: 0 no mistakes, 2 at least one.')
    .action(async (options: ConfigCheckOptions) =>
      run(import('./config-check.ts').then(({ checkConfig }) => checkConfig(options))),
    );
};
