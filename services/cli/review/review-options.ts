/** Turns the flags of `fixpoint review` into a request. A flag of another mode is an error. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Uncommitted } from '../../../shared/workspace/local/uncommitted.ts';
import type { LocalReviewRequest } from './review-request.ts';
import { MODEL_ADDRESS, MODEL_KEY, type ModelWishPrice } from './review-model.ts';
import { ADDRESS_FORMS } from '../address/parse-address.ts';
import type { ReviewMode } from '../../../shared/vocabulary/review-mode.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type ReviewOptions = {
  readonly mode: ReviewMode;
  readonly post?: boolean;
  readonly tokenEnv?: string;
  readonly verbose?: boolean;
  readonly repo?: string;
  readonly base?: string;
  readonly head?: string;
  readonly staged?: boolean;
  readonly worktree?: boolean;
  readonly path?: string;
  readonly runner: 'auto' | 'agent' | 'claude-code' | 'rules';
  readonly claudeCode?: string;
  readonly model?: string;
  readonly explorerModel?: string;
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly baseUrl?: string;
  readonly price?: readonly ModelWishPrice[];
  readonly config?: string;
  readonly format: 'text' | 'json';
};

type Names = readonly (keyof ReviewOptions)[];

const refuse = (options: Partial<ReviewOptions>, names: Names, where: string): void => {
  const given = names.filter((name) => options[name] !== undefined).map((name) => OPTIONS[name] ?? `--${name}`);
  if (given.length > 0) throw new UsageError(`${given.join(', ')}: not allowed ${where}`);
};

const OPTIONS: Readonly<Partial<Record<keyof ReviewOptions, string>>> = { tokenEnv: '--token-env' };

const OF_CHANGE_REQUESTS: Names = ['post', 'tokenEnv', 'verbose'];

/** @throws UsageError */
export const refuseLocalOptions = (options: Partial<ReviewOptions>): void => {
  if (options.mode === 'codebase') throw new UsageError('--mode codebase: not allowed with a change request');
  refuse(options, ['base', 'head', 'staged', 'worktree', 'path'], 'with a change request');
};

/** @throws UsageError */
export const reviewRequestOf = (options: ReviewOptions): LocalReviewRequest => {
  const { runner, claudeCode, model, explorerModel, maxTurns, budgetUsd, budgetTokens, baseUrl } = options;
  const { price: prices, config: configPath } = options;
  const limits = { maxTurns, budgetUsd, budgetTokens };
  const wish = { runner, claudeCode, model, explorerModel, ...limits, baseUrl, prices, configPath };
  refuse(options, OF_CHANGE_REQUESTS, 'without a change request');
  if (options.mode === 'codebase') {
    refuse(options, ['repo', 'base', 'head', 'staged', 'worktree'], 'with --mode codebase');
    if (options.path === undefined) throw new UsageError('--mode codebase needs --path DIR');
    return { mode: 'codebase', workspacePath: options.path, ...wish };
  }
  refuse(options, ['path'], 'with --mode change');
  const { repo: workspacePath, base, head } = options;
  const uncommitted = uncommittedOf(options);
  if (base === undefined && uncommitted === undefined) throw new UsageError(NO_BASE);
  return { mode: 'change', workspacePath, base, head, uncommitted, ...wish };
};

const NO_BASE =
  '--base is missing: name the commit that the change will be merged into (or use --staged or --worktree for uncommitted changes)';

const uncommittedOf = ({ head, staged = false, worktree = false }: ReviewOptions): Uncommitted | undefined => {
  if (!staged && !worktree) return undefined;
  if (staged && worktree)
    throw new UsageError('--staged, --worktree: give only one; --worktree includes staged changes');
  if (head !== undefined) throw new UsageError(`--head cannot be combined with --${staged ? 'staged' : 'worktree'}`);
  return staged ? 'staged' : 'worktree';
};

const parseNumber = (text: string): number => {
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a number');
};

const PRICE = /^([^=]+)=(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/;

const parsePrice = (text: string, others: readonly ModelWishPrice[] = []): readonly ModelWishPrice[] => {
  const [, model, input, output] = PRICE.exec(text) ?? [];
  if (model === undefined) throw new InvalidArgumentError('expected MODEL=INPUT/OUTPUT, such as my-model=0.5/2');
  return [...others, { model, inputUsd: Number(input), outputUsd: Number(output) }];
};

const EXIT_TEXT = '\nExit code: 0 lgtm, 1 feedback, 3 inconclusive, 2 bad usage, configuration or key.';
const MODEL_TEXT =
  '\nWith a model, the diff and the files that the model asks for are sent to its provider, with detected secrets removed;\n' +
  `the key is read from ${MODEL_KEY}. The built-in rules send nothing.`;

export type ReviewCommands = {
  readonly local: (options: ReviewOptions) => Promise<void>;
  /** Of a change request on a forge. */
  readonly remote: (address: string, options: ReviewOptions) => Promise<void>;
};

export const addReviewCommand = (program: Command, { local, remote }: ReviewCommands): void => {
  program
    .command('review')
    .description('review a change request of a forge, a local range of commits or a whole folder, without a server')
    .argument('[address]', `a change request: ${ADDRESS_FORMS}`)
    .addOption(new Option('--mode <mode>', 'what to review').choices(['change', 'codebase']).default('change'))
    .option('--post', 'change request: post the result there, like a server with the same account and marker secret')
    .option(
      '--token-env <name>',
      'change request: the variable with the token (default: GITLAB_TOKEN, FORGEJO_TOKEN or GITEA_TOKEN)',
    )
    .option('--verbose', "change request: also print the services' log")
    .option('--repo <dir>', 'change: the repository (default: ".")')
    .option('--base <rev>', 'change: the commit that it will be merged into')
    .option('--head <rev>', 'change: its tip (default: "HEAD")')
    .option('--staged', 'change: the staged changes, on top of HEAD (default base: "HEAD")')
    .option('--worktree', 'change: all uncommitted changes, including new files (default base: "HEAD")')
    .option('--path <dir>', 'codebase: the folder; git is not needed')
    .addOption(
      new Option('--runner <name>', 'the reviewer; auto: a model if a key is set, otherwise the rules')
        .choices(['auto', 'agent', 'claude-code', 'rules'])
        .default('auto'),
    )
    .option('--claude-code <file>', 'for the runner claude-code: absolute path of the installed CLI')
    .option('--model <id>', 'the reviewing model (default: see fixpoint.example.toml)')
    .option('--explorer-model <id>', 'the model of the explorers')
    .option('--max-turns <number>', 'turns of the reviewing model (default: 8)', parseNumber)
    .option('--budget-usd <number>', 'budget of the review in US dollars (default: 5)', parseNumber)
    .option('--budget-tokens <number>', 'budget in tokens, input and output together (default: 3000000)', parseNumber)
    .option('--base-url <url>', `address of the Messages API (default: ${MODEL_ADDRESS}, then the provider's)`)
    .option('--price <model=in/out>', 'dollars per million tokens; may be repeated', parsePrice)
    .option('--config <file>', 'its [sandbox] settings apply to the tools of the model (default: FIXPOINT_CONFIG)')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXIT_TEXT + MODEL_TEXT)
    .action(async (address: string | undefined, options: ReviewOptions) =>
      address === undefined ? local(options) : remote(address, options),
    );
};
