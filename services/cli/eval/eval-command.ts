/** `fixpoint eval`: its commands and options. What a command does is loaded when it runs. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { addReviewerOptions, parseDecimal, parsePrice } from '../review/review-options.ts';
import type { EvalLoadOptions } from './eval-load.ts';
import type { EvalJudgeOptions } from './eval-judge.ts';
import type { EvalReportOptions } from './eval-report.ts';
import type { EvalRunOptions } from './eval-run.ts';
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

const RUN_TEXT = `
Results are stored in the folder as they come: the same command continues an interrupted run, and does nothing again.
Repositories that are not in --repositories are fetched into the folder, and packages are downloaded with npm pack.
With --replay, a request that differs from the recorded ones fails the review of its case and says in what it differs.
Exit code: 0 every review has a result, 1 a review failed or the budget ended before all were done, 2 bad usage.`;

const addRun = (group: Command, run: RunCommand): void => {
  const command = group
    .command('run')
    .description('review every case, push by push if it has several, and store results and conversations')
    .argument('<cases>', 'a file of cases that `fixpoint eval load` wrote')
    .requiredOption('--out <dir>', 'the folder of this run')
    .option('--repeat <number>', 'how often each case is reviewed', wholeNumber, 1)
    .option('--replay <dir>', 'an earlier run by a model: its stored conversations answer, without key and network')
    .option('--retry-failed', 'review cases whose last review failed again')
    .option(...REPOSITORIES)
    .option('--config <file>', 'its [sandbox] settings apply to the tools of the model (default: FIXPOINT_CONFIG)');
  addReviewerOptions(command, 'budget of the whole run in US dollars (default: 20)')
    .addHelpText('after', RUN_TEXT)
    .action(async (cases: string, options: EvalRunOptions) =>
      run(import('./eval-run.ts').then(async ({ evalRun }) => evalRun(cases, options))),
    );
};

const JUDGES = ['place', 'words', 'model'] as const;

const JUDGE_TEXT = `
place: the same file, at most five lines apart. words: similar wording at nearly the same place, compared like findings
of a change request. model: one question to a model for each label and finding; answers are stored, so judging again is
free and needs no key.
Exit code: 0 judged, 2 bad usage, or the model failed; the answers so far are kept.`;

const addJudge = (group: Command, run: RunCommand): void => {
  group
    .command('judge')
    .description('decide which findings of single reviews are the labelled defects')
    .argument('<dir>', 'the folder of a run')
    .addOption(new Option('--by <judge>', 'how findings and labels are compared').choices(JUDGES).makeOptionMandatory())
    .addOption(new Option('--provider <api>', "model: the API of the model's server").choices(['anthropic', 'openai']))
    .option('--key-env <name>', 'model: the variable with its key, as for `fixpoint review`')
    .option('--model <id>', 'model: its name (default: the reviewing model of `fixpoint review`)')
    .option('--budget-usd <number>', 'model: budget of all questions in US dollars (default: 5)', parseDecimal)
    .option('--base-url <url>', "model: address of the model's server")
    .option('--price <model=in/out>', 'model: dollars per million tokens; may be repeated', parsePrice)
    .option('--answers <file>', 'model: where answers are stored (default: in the folder of the run)')
    .addHelpText('after', JUDGE_TEXT)
    .action(async (folder: string, options: EvalJudgeOptions) =>
      run(import('./eval-judge.ts').then(async ({ evalJudge }) => evalJudge(folder, options))),
    );
};

const addReport = (group: Command, run: RunCommand): void => {
  group
    .command('report')
    .description('print precision, recall, false-clean rate, noise, repeats over several reviews, and cost of a run')
    .argument('<dir>', 'the folder of a run')
    .addOption(new Option('--by <judge>', 'whose judgement, if there are several').choices(JUDGES))
    .option('--compare <dir>', 'an earlier run, judged alike: say what became worse over the cases of both')
    .option('--max-drop <number>', 'how much worse a rate may be, such as 0.05', parseDecimal, 0.05)
    .addOption(new Option('--format <format>', 'text or json').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      '\nExit code: 0, 1 something became worse than --compare by more than --max-drop, 2 bad usage.',
    )
    .action(async (folder: string, options: EvalReportOptions) =>
      run(import('./eval-report.ts').then(async ({ evalReport }) => evalReport(folder, options))),
    );
};

export const addEvalCommand = (program: Command, run: RunCommand): void => {
  const group = program
    .command('eval')
    .description('measure how good reviews are, on changes whose defects are known')
    .addHelpText('after', EXAMPLES);
  addLoad(group, run);
  addRun(group, run);
  addJudge(group, run);
  addReport(group, run);
};

const EXAMPLES = `
Example:
  fixpoint eval load bugsinpy ../BugsInPy --sample 60 --out cases.jsonl
  fixpoint eval run cases.jsonl --runner rules --out rules-run
  fixpoint eval judge rules-run --by place
  fixpoint eval report rules-run`;
