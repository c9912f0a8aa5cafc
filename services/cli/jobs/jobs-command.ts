import type { Command } from 'commander';
import type { RunCommand } from '../terminal/run-command.ts';
import type { AgainOptions, JobsOptions } from './jobs.ts';

const CONFIG = ['--config <file>', 'configuration file (default: fixpoint.toml)'] as const;
const ID = 'QUEUE/ID, as `fixpoint jobs --failed` prints it';

export const addJobsCommand = (program: Command, run: RunCommand): void => {
  const jobs = program
    .command('jobs')
    .description('print how much work each queue holds, and the jobs that failed for good')
    // An option behind a subcommand belongs to the subcommand.
    .enablePositionalOptions()
    .option(...CONFIG)
    .option('--failed', 'list the failed jobs, with what each error code means')
    .option('--format <format>', 'text or json', 'text')
    .addHelpText(
      'after',
      '\nExamples:\n  fixpoint jobs\n  fixpoint jobs --failed\n  fixpoint jobs retry --all\n\nExit code: 0, or 2 for bad usage or configuration.',
    )
    .action(async (options: JobsOptions) => run(import('./jobs.ts').then(async ({ showJobs }) => showJobs(options))));
  jobs
    .command('retry')
    .description('run failed jobs again; a job for which nothing waits any more is left alone')
    .argument('[id]', ID)
    .option('--all', 'all failed jobs')
    .option(...CONFIG)
    .addHelpText('after', '\nExit code: 0, 1 if the job was not queued, 2 for bad usage or configuration.')
    .action(async (id: string | undefined, options: AgainOptions) =>
      run(import('./jobs.ts').then(async ({ retryJobs }) => retryJobs(id, options))),
    );
  jobs
    .command('drop')
    .description('remove a failed job from the list')
    .argument('<id>', ID)
    .option(...CONFIG)
    .addHelpText('after', '\nExit code: 0, 1 if the job was not removed, 2 for bad usage or configuration.')
    .action(async (id: string, options: Pick<AgainOptions, 'config'>) =>
      run(import('./jobs.ts').then(async ({ dropJob }) => dropJob(id, options))),
    );
};
