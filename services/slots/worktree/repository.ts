/**
 * The user's own repository, with the user's own git settings and hooks: unlike what services do with a repository of
 * others, this is what the user would have typed.
 */
import { dirname } from 'node:path';
import { childEnvironment, WITHOUT_PROMPTS } from '../../../shared/workspace/process/child-environment.ts';
import { findGit, scrub } from '../../../shared/workspace/git/git.ts';
import { type CommandResult, runCommand } from '../../../shared/workspace/process/command.ts';
import { LoopError } from '../settings/errors.ts';
import { type FileSystem, probeFileSystem } from './file-system.ts';

export type Setting = readonly [name: string, value: string];

export type RepositoryCall = {
  /** A work tree's own folder: git does not look above it for another one. Top of the user's work tree by default. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of git for this call, above those of the user. */
  readonly config?: readonly Setting[];
  /** Output beyond it is cut. */
  readonly maxBytes?: number;
  /** 60 s by default: what runs the user's hooks needs `HOOKS_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
};

export type Repository = {
  /** Top of the work tree. */
  readonly root: string;
  /** Runs git whatever it answers. */
  try(args: readonly string[], call: RepositoryCall, signal: AbortSignal): Promise<CommandResult>;
  /** The same, trimmed. @throws LoopError when git fails */
  ask(args: readonly string[], call: RepositoryCall, signal: AbortSignal): Promise<string>;
};

const TIMEOUT_MS = 60_000;
/** Of a commit, a merge or a checkout: a hook may run all tests of a project. */
export const HOOKS_TIMEOUT_MS = 30 * 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Settings of a user that would make git look away from a file, act on repositories within the work tree, or put the
 * user's own uncommitted changes elsewhere.
 */
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

/** In a slot's own tree, which git has checked out afresh, everything that the file system tells apart is a change. */
const sharpIn = ({ keepsModes, tellsCases }: FileSystem): readonly Setting[] => [
  ...(keepsModes ? [['core.fileMode', 'true'] as const] : []),
  ...(tellsCases ? [['core.ignoreCase', 'false'] as const] : []),
];

/** By variables: a name may hold characters that end it in `git -c`. https://git-scm.com/docs/git-config#ENVIRONMENT */
const variablesOf = (settings: readonly Setting[]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
});

/** The tree of a slot lies within the user's, which git would take for it where an agent removed its `.git`. */
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

/** In git's own words, made harmless; 500 characters of them at most. */
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

/** @throws LoopError where there is no repository, or one without a commit */
export const openRepository = async (directory: string, signal: AbortSignal): Promise<Repository> => {
  const git = findGit(process.env['PATH'] ?? '');
  const here = createAsk(createTry({ git, root: directory, sharp: [] }));
  const root = await here(['rev-parse', '--show-toplevel'], {}, signal);
  const gitDirectory = await here(['rev-parse', '--absolute-git-dir'], {}, signal);
  const run = createTry({ git, root, sharp: sharpIn(await probeFileSystem(gitDirectory)) });
  const ask = createAsk(run);
  await ask(['rev-parse', '--verify', 'HEAD^{commit}'], {}, signal);
  return { root, try: run, ask };
};
