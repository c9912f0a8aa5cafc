/** `fixpoint eval`: its commands and options. What a command does is loaded when it runs. */
import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { EvalLoadOptions } from './eval-load.ts';
import { EVAL_SETS, type EvalSetName } from './sets/set-names.ts';
import type { RunCommand } from '../terminal/run-command.ts';

const wholeNumber = (text: string): number => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number of at least 1');
};

const REPOSITORIES = [
  '--repositories <dir>',
  'clones, as OWNER/NAME, OWNER+NAME or NAME, each also with .git',
] as const;

const addLoad = (group: Command, run: RunCommand): void => {
  group
    .command('load')
    .description('write the cases of a set as JSON Lines, and say which entries are no cases and why')
    .addArgument(new Argument('<set>', 'the format of the set; folder: YAML files of your own').choices(EVAL_SETS))
    .argument('<path>', 'a checkout of the set')
    .requiredOption('--out <file>', 'the file of cases to write')
    .option(...REPOSITORIES)
    .option('--sample <number>', 'only this many cases, always the same ones', wholeNumber)
    .addHelpText('after', '\nExit code: 0 cases were written, 1 no entry is a case, 2 bad usage or an unreadable set.')
    .action(async (set: EvalSetName, path: string, options: EvalLoadOptions) =>
      run(import('./eval-load.ts').then(async ({ evalLoad }) => evalLoad(set, path, options))),
    );
};

export const addEvalCommand = (program: Command, run: RunCommand): void => {
  const group = program
    .command('eval')
    .description('measure how good reviews are, on changes whose defects are known')
    .addHelpText('after', EXAMPLES);
  addLoad(group, run);
};

const EXAMPLES = `
Example:
  fixpoint eval load bugsinpy ../BugsInPy --sample 60 --out cases.jsonl
  fixpoint eval run cases.jsonl --runner rules --out rules-run
  fixpoint eval judge rules-run --by place
  fixpoint eval report rules-run`;
