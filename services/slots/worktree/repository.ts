/** The user's own repository. Git runs with the user's settings and hooks, as if the user had typed the command. */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { childEnvironment, WITHOUT_PROMPTS } from '../../../shared/workspace/process/child-environment.ts';
import { findGit, scrub } from '../../../shared/workspace/git/git.ts';
import { type CommandResult, runCommand } from '../../../shared/workspace/process/command.ts';
import { LoopError } from '../settings/errors.ts';
import { type FileSystem, probeFileSystem } from './file-system.ts';

export type Setting = readonly [name: string, value: string];

export type RepositoryCall = {
  /** A work tree's own folder, whose parents git does not search. Default: the top of the user's work tree. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Git settings for this call, which override the user's settings. */
  readonly config?: readonly Setting[];
  readonly maxBytes?: number;
  /** Default: 60 s. Calls that run the user's hooks need `HOOKS_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
};

export type Repository = {
  readonly root: string;
  /** Runs git and returns the result for any exit code. */
  try(args: readonly string[], call: RepositoryCall, signal: AbortSignal): Promise<CommandResult>;
  /** Runs git and returns its trimmed output. @throws LoopError when git fails */
  ask(args: readonly string[], call: RepositoryCall, signal: AbortSignal): Promise<string>;
};

const TIMEOUT_MS = 60_000;
/** Timeout for commit, merge and checkout, because a hook may run all tests of a project. */
export const HOOKS_TIMEOUT_MS = 30 * 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Overrides settings that would hide file changes, act on nested repositories, or stash the user's own changes. */
const ALWAYS: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.trustctime', 'true'],
  ['core.checkStat', 'default'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['diff.ignoreSubmodules', 'none'],
  ['add.ignoreErrors', 'false'],
  ['merge.autoStash', 'false'],
];

/** In a slot's own fresh work tree, every difference that the file system can represent counts as a change. */
const sharpIn = ({ keepsModes, tellsCases }: FileSystem): readonly Setting[] => [
  ...(keepsModes ? [['core.fileMode', 'true'] as const] : []),
  ...(tellsCases ? [['core.ignoreCase', 'false'] as const] : []),
];

/** Settings are passed as variables, because `git -c` splits at the first `=`. https://git-scm.com/docs/git-config#ENVIRONMENT */
const variablesOf = (settings: readonly Setting[]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
});

/** Without these variables, git would use the user's enclosing repository if an agent removed the `.git` of a slot's tree. */
const within = (cwd: string | undefined): Readonly<Record<string, string>> =>
  cwd === undefined ? {} : { GIT_CEILING_DIRECTORIES: dirname(cwd) };

type Place = { readonly git: string; readonly root: string; readonly sharp: readonly Setting[] };

const environmentOf = ({ root, sharp }: Place, { cwd, env = {}, config = [] }: RepositoryCall) => ({
  ...childEnvironment(process.env),
  ...WITHOUT_PROMPTS,
  ...within(cwd),
  ...variablesOf([...ALWAYS, ...(cwd === undefined || cwd === root ? [] : sharp), ...config]),
  ...env,
});

const createTry =
  (place: Place): Repository['try'] =>
  (args, call, signal) =>
    runCommand(
      {
        file: place.git,
        args: ['--no-pager', ...args],
        env: environmentOf(place, call),
        cwd: call.cwd ?? place.root,
        timeoutMs: call.timeoutMs ?? TIMEOUT_MS,
        maxStdoutBytes: call.maxBytes ?? MAX_BYTES,
      },
      signal,
    );

/** Git's own error text, escaped and cut to 500 characters. */
export const failureText = ([command = '']: readonly string[], { stdout, stderr, timedOut }: CommandResult): string => {
  if (timedOut) return `git ${command} timed out`;
  const words = scrub(stderr) || scrub(stdout.toString('utf8'));
  return `git ${command} failed: ${words}`;
};

const createAsk =
  (run: Repository['try']): Repository['ask'] =>
  async (args, call, signal) => {
    const result = await run(args, call, signal);
    if (result.exitCode === 0) return result.stdout.toString('utf8').trim();
    throw new LoopError('LOOP_REPOSITORY', failureText(args, result));
  };

/** git cannot be started in a folder that is not there, and the error would name git. */
const requireFolder = async (directory: string): Promise<void> => {
  const found = await stat(directory).catch(() => null);
  if (found === null) throw new LoopError('LOOP_REPOSITORY', `${directory} does not exist`);
  if (!found.isDirectory()) throw new LoopError('LOOP_REPOSITORY', `${directory} is not a folder`);
};

/** @throws LoopError when there is no repository or the repository has no commit */
export const openRepository = async (directory: string, signal: AbortSignal): Promise<Repository> => {
  await requireFolder(directory);
  const git = findGit(process.env['PATH'] ?? '');
  const here = createAsk(createTry({ git, root: directory, sharp: [] }));
  const root = await here(['rev-parse', '--show-toplevel'], {}, signal);
  const gitDirectory = await here(['rev-parse', '--absolute-git-dir'], {}, signal);
  const run = createTry({ git, root, sharp: sharpIn(await probeFileSystem(gitDirectory)) });
  const ask = createAsk(run);
  await ask(['rev-parse', '--verify', 'HEAD^{commit}'], {}, signal);
  return { root, try: run, ask };
};
