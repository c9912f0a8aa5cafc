/**
 * The user's own repository, with the user's own git settings and hooks: unlike what services do with a repository of
 * others, this is what the user would have typed.
 */
import { dirname } from 'node:path';
import { findGit, scrub } from '../../shared/workspace/git.ts';
import { type CommandResult, runCommand } from '../../shared/workspace/command.ts';
import { LoopError } from './errors.ts';

export type RepositoryCall = {
  /** A work tree's own folder: git does not look above it for another one. Top of the user's work tree by default. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
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

/** A variable such as GIT_DIR, set by a hook that runs us, would send git elsewhere. */
const cleanEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> => {
  const entries = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX)$/.test(name),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
};

/** The tree of a slot lies within the user's, which git would take for it where an agent removed its `.git`. */
const within = (cwd: string | undefined): Readonly<Record<string, string>> =>
  cwd === undefined ? {} : { GIT_CEILING_DIRECTORIES: dirname(cwd) };

const createTry =
  (git: string, root: string): Repository['try'] =>
  (args, { cwd, env = {}, maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }, signal) =>
    runCommand(
      {
        file: git,
        args: ['--no-pager', ...args],
        env: { ...cleanEnvironment(process.env), GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: ':', ...within(cwd), ...env },
        cwd: cwd ?? root,
        timeoutMs,
        maxStdoutBytes: maxBytes,
      },
      signal,
    );

/** In git's own words, made harmless; 500 characters of them at most. */
export const failureOf = ([command = '']: readonly string[], { stdout, stderr, timedOut }: CommandResult): string => {
  if (timedOut) return `git ${command} took too long`;
  const words = scrub(stderr) || scrub(stdout.toString('utf8'));
  return `git ${command} failed: ${words}`;
};

const createAsk =
  (run: Repository['try']): Repository['ask'] =>
  async (args, call, signal) => {
    const result = await run(args, call, signal);
    if (result.exitCode === 0) return result.stdout.toString('utf8').trim();
    throw new LoopError('LOOP_REPOSITORY', failureOf(args, result));
  };

/** @throws LoopError where there is no repository, or one without a commit */
export const openRepository = async (directory: string, signal: AbortSignal): Promise<Repository> => {
  const git = findGit(process.env['PATH'] ?? '');
  const here = createAsk(createTry(git, directory));
  const root = await here(['rev-parse', '--show-toplevel'], {}, signal);
  const run = createTry(git, root);
  const ask = createAsk(run);
  await ask(['rev-parse', '--verify', 'HEAD^{commit}'], {}, signal);
  return { root, try: run, ask };
};
