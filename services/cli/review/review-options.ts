/** Turns the flags of `fixpoint review` into a request. A flag that belongs to another mode is an error. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Uncommitted } from '../../../shared/workspace/local/uncommitted.ts';
import { MODEL_ADDRESS, MODEL_KEY, PARENT } from './option-words.ts';
import type { ChangeReviewRequest, LocalReviewRequest } from './review-request.ts';
import { type ModelWishPrice, OPENAI_KEY } from '../terminal/model-wish.ts';
import { listKinds } from '../../../shared/forge/kinds/forge-kind.ts';
import { ADDRESS_FORMS } from '../address/parse-address.ts';
import type { ReviewMode } from '../../../shared/vocabulary/review-mode.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type ReviewOptions = {
  readonly mode: ReviewMode;
  readonly post?: boolean;
  readonly plan?: boolean;
  readonly tokenEnv?: string;
  readonly caFile?: string;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  readonly repo?: string;
  readonly base?: string;
  readonly head?: string;
  readonly staged?: boolean;
  readonly worktree?: boolean;
  /** A range written as `BASE..HEAD` or `BASE...HEAD`. */
  readonly range?: string;
  readonly commit?: string;
  readonly path?: readonly string[];
  readonly runner: 'auto' | 'agent' | 'claude-code' | 'rules';
  readonly claudeCode?: string;
  readonly provider?: 'anthropic' | 'openai';
  readonly keyEnv?: string;
  readonly model?: string;
  readonly explorerModel?: string;
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly baseUrl?: string;
  readonly price?: readonly ModelWishPrice[];
  readonly config?: string;
  readonly format: ReportFormat;
  readonly failOn: FailOn;
};

const FORMATS = ['text', 'json', 'markdown', 'sarif', 'rdjson', 'codeclimate', 'junit'] as const;
export type ReportFormat = (typeof FORMATS)[number];

const FAIL_ON = ['blocking', 'any', 'never'] as const;
export type FailOn = (typeof FAIL_ON)[number];

type Names = readonly (keyof ReviewOptions)[];

const refuse = (options: Partial<ReviewOptions>, names: Names, where: string): void => {
  const given = names.filter((name) => options[name] !== undefined).map((name) => OPTIONS[name] ?? `--${name}`);
  if (given.length > 0) throw new UsageError(`${given.join(', ')}: not allowed ${where}`);
};

const OPTIONS: Readonly<Partial<Record<keyof ReviewOptions, string>>> = {
  tokenEnv: '--token-env',
  caFile: '--ca-file',
};

const OF_CHANGE_REQUESTS: Names = ['post', 'tokenEnv', 'caFile'];

/** @throws UsageError */
export const refuseLocalOptions = (options: Partial<ReviewOptions>): void => {
  if (options.mode === 'codebase') throw new UsageError('--mode codebase: not allowed with a change request');
  refuse(options, ['base', 'head', 'commit', 'staged', 'worktree', 'path', 'plan'], 'with a change request');
};

/** @throws UsageError */
export const reviewRequestOf = (options: ReviewOptions): LocalReviewRequest => {
  const { runner, claudeCode, provider, keyEnv, model, explorerModel, maxTurns, budgetUsd, budgetTokens } = options;
  const { baseUrl, price: prices, config: configPath } = options;
  const limits = { maxTurns, budgetUsd, budgetTokens };
  const wish = { runner, claudeCode, provider, keyEnv, model, explorerModel, ...limits, baseUrl, prices, configPath };
  refuse(options, OF_CHANGE_REQUESTS, 'without a change request');
  if (options.mode === 'codebase') {
    refuse(options, ['repo', 'range', 'base', 'head', 'commit', 'staged', 'worktree', 'plan'], 'with --mode codebase');
    const [workspacePath, ...others] = options.path ?? [];
    if (workspacePath === undefined || others.length > 0) throw new UsageError('--mode codebase needs one --path DIR');
    return { mode: 'codebase', workspacePath, ...wish };
  }
  return { mode: 'change', workspacePath: options.repo, ...changeOf(options), paths: options.path, ...wish };
};

type Change = Pick<ChangeReviewRequest, 'base' | 'head' | 'uncommitted'>;

const changeOf = (options: ReviewOptions): Change => {
  const { range, commit, base, head } = options;
  if (range !== undefined) {
    refuse(options, ['base', 'head', 'commit', 'staged', 'worktree'], 'with a range');
    const [, from = '', to = ''] = RANGE.exec(range) ?? [];
    return { base: from === '' ? 'HEAD' : from, head: to === '' ? 'HEAD' : to };
  }
  if (commit !== undefined) {
    refuse(options, ['base', 'head', 'staged', 'worktree'], 'with --commit');
    if (commit === '') throw new UsageError('--commit is empty: name a commit');
    return { base: `${commit}${PARENT}`, head: commit };
  }
  return { base, head, uncommitted: uncommittedOf(options) };
};

/** Both forms mean the same: a review always starts at the merge base. No name of a commit contains two dots. */
const RANGE = /^(.*?)\.\.\.?(.*)$/;

/** `../folder` is a path: the name of a commit never begins with a slash. */
export const isCommitRange = (text: string): boolean =>
  RANGE.test(text) && !/^[a-z]+:\/\//i.test(text) && !text.startsWith('../');

const uncommittedOf = ({ head, staged = false, worktree = false }: ReviewOptions): Uncommitted | undefined => {
  if (!staged && !worktree) return undefined;
  if (staged && worktree)
    throw new UsageError('--staged, --worktree: give only one; --worktree includes staged changes');
  if (head !== undefined) throw new UsageError(`--head cannot be combined with --${staged ? 'staged' : 'worktree'}`);
  return staged ? 'staged' : 'worktree';
};

const withRange = (options: ReviewOptions, range: string | undefined): ReviewOptions =>
  range === undefined ? options : { ...options, range };

const addPath = (path: string, others: readonly string[] = []): readonly string[] => [...others, path];

export const parseDecimal = (text: string): number => {
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a number');
};

const PRICE = /^([^=]+)=(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/;

export const parsePrice = (text: string, others: readonly ModelWishPrice[] = []): readonly ModelWishPrice[] => {
  const [, model, input, output] = PRICE.exec(text) ?? [];
  if (model === undefined) throw new InvalidArgumentError('expected MODEL=INPUT/OUTPUT, such as my-model=0.5/2');
  return [...others, { model, inputUsd: Number(input), outputUsd: Number(output) }];
};

const EXIT_TEXT =
  '\nExamples:\n' +
  '  fixpoint review --worktree                          what is not committed yet\n' +
  '  fixpoint review main..feature --format sarif        a range of commits\n' +
  '  fixpoint review https://forge.example.com/owner/name/pulls/7 --post\n' +
  '\nExit code: 0 lgtm, 1 feedback, 3 inconclusive, 2 bad usage, address, configuration, token or key.\n' +
  'With --fail-on any, findings that do not block also give exit code 1; with --fail-on never, every result gives 0.';
export const MODEL_TEXT =
  '\nWith a model, the diff and the files that the model asks for are sent to its provider, with detected secrets removed;\n' +
  `the key is read from ${MODEL_KEY}. For any server with a chat completions API:\n` +
  '  --provider openai --base-url http://127.0.0.1:11434/v1 --model qwen3-coder --price qwen3-coder=0/0\n' +
  'The built-in rules send nothing.';

const OPENAI_KEYS = `with --provider openai ${OPENAI_KEY}, or none for a server on this machine`;
const ADDRESSES = `default: ${MODEL_ADDRESS}, then the provider's; required with --provider openai`;

/** Adds the options for the reviewer and its budget. */
export const addReviewerOptions = (
  command: Command,
  budget = 'budget of the review in US dollars (default: 5)',
): Command =>
  command
    .addOption(
      new Option('--runner <name>', 'the reviewer; auto: a model if a key is set, otherwise the rules')
        .choices(['auto', 'agent', 'claude-code', 'rules'])
        .default('auto'),
    )
    .option('--claude-code <file>', 'for the runner claude-code: absolute path of the installed CLI')
    .addOption(
      new Option('--provider <api>', "the API of the model's server: Messages API or chat completions").choices([
        'anthropic',
        'openai',
      ]),
    )
    .option('--key-env <name>', `the variable with the model key (default: ${MODEL_KEY}; ${OPENAI_KEYS})`)
    .option('--model <id>', 'the reviewing model (default: see fixpoint.example.toml)')
    .option('--explorer-model <id>', 'the model of the explorers')
    .option('--max-turns <number>', 'turns of the reviewing model (default: 8)', parseDecimal)
    .option('--budget-usd <number>', budget, parseDecimal)
    .option('--budget-tokens <number>', 'budget in tokens, input and output together (default: 3000000)', parseDecimal)
    .option('--base-url <url>', `URL of the model's server (${ADDRESSES})`)
    .option('--price <model=in/out>', 'dollars per million tokens; may be repeated', parsePrice);

export const failOnOption = (): Option =>
  new Option('--fail-on <what>', 'which findings give exit code 1: those that block, any, or none')
    .choices(FAIL_ON)
    .default('blocking');

export type ReviewCommands = {
  readonly local: (options: ReviewOptions) => Promise<void>;
  /** Reviews a change request on a forge. */
  readonly remote: (address: string, options: ReviewOptions) => Promise<void>;
};

export const addReviewCommand = (program: Command, { local, remote }: ReviewCommands): void => {
  const command = program
    .command('review')
    .description('review a change request of a forge, a local range of commits or a whole folder, without a server')
    .argument('[what]', `a change request: ${ADDRESS_FORMS}; or a local range: BASE..HEAD`)
    .addOption(new Option('--mode <mode>', 'what to review').choices(['change', 'codebase']).default('change'))
    .option('--plan', 'change: print the parts in which a model would review it, with their price, and review nothing')
    .option(
      '--post',
      'change request: post the result there, as a server with the same account and marker secret would',
    )
    .option(
      '--token-env <name>',
      `change request: the variable with the token (default: ${listKinds(({ tokenEnv }) => tokenEnv)})`,
    )
    .option(
      '--ca-file <file>',
      "change request: PEM file with the certificate of the forge's private certificate authority",
    )
    .addOption(new Option('--quiet', 'print the result only: no progress, notices or remarks').conflicts('verbose'))
    .option('--verbose', "print every step; for a change request also the services' log")
    .option('--repo <dir>', 'change: the repository (default: ".")')
    .option('--base <rev>', "change: the commit that it will be merged into (default: the remote's default branch)")
    .option('--head <rev>', 'change: its tip (default: "HEAD")')
    .option('--staged', 'change: the staged changes, on top of HEAD (default base: "HEAD")')
    .option('--worktree', 'change: all uncommitted changes, including new files (default base: "HEAD")')
    .option('--commit <rev>', 'change: only this commit, against its first parent')
    .option(
      '--path <pattern>',
      'change: only these files, may be repeated; codebase: the folder; git is not needed',
      addPath,
    );
  addReviewerOptions(command)
    .option('--config <file>', 'its [sandbox] settings apply to the tools of the model (default: FIXPOINT_CONFIG)')
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('text'))
    .addOption(failOnOption())
    .addHelpText('after', EXIT_TEXT + MODEL_TEXT)
    .action(async (what: string | undefined, options: ReviewOptions) =>
      what === undefined || isCommitRange(what) ? local(withRange(options, what)) : remote(what, options),
    );
};
