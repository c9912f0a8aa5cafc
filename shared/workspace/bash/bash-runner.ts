/** Runs commands that `bash-command.ts` accepted, in the cage. git gets an explicit repository and configuration. */
import type { BashProgram } from './bash-command.ts';
import { type Cage, type CagedArgv, type CageResult, CAGED_WORKSPACE } from '../cage/cage.ts';
import { createGit } from '../git/git.ts';
import type { GitView } from './git-view.ts';

export const BASH_TIMEOUT_MS = 10_000;
export const BASH_OUTPUT_BYTES = 256 * 1024;

export type BashRun = {
  readonly program: BashProgram;
  readonly args: readonly string[];
  /** True if words after `--` are pathspecs with patterns. Otherwise they are literal paths. */
  readonly patterns?: boolean;
  readonly stdin?: Uint8Array;
  readonly outputBytes?: number;
};

/** Contract: same as `Cage.run`. */
export type BashRunner = (run: BashRun, signal: AbortSignal) => Promise<CageResult>;

export type BashPlace = {
  readonly cage: Cage;
  /** Absolute path of git, below `/usr`: the cage contains only the system folders of the machine. */
  readonly gitPath: string;
  readonly workspace: string;
  /** Contract: every call resolves to the same view. */
  readonly history: (signal: AbortSignal) => Promise<GitView>;
};

const CAGED_GIT_DIR = '/git';
const PLAIN_ENVIRONMENT = { LC_ALL: 'C.UTF-8', TZ: 'UTC' };

type Call = { readonly argv: CagedArgv; readonly env: Readonly<Record<string, string>> };

export const createBashRunner = ({ cage, gitPath, workspace, history }: BashPlace): BashRunner => {
  const git = createGit({ gitPath, gitDir: CAGED_GIT_DIR, allowProtocols: [] });
  const callOf = ({ program, args, patterns = false }: BashRun): Call => {
    if (program !== 'git') return { argv: [`/usr/bin/${program}`, ...args], env: PLAIN_ENVIRONMENT };
    const spec = git.spec(args, patterns ? { env: { GIT_LITERAL_PATHSPECS: '0' } } : {});
    return { argv: [spec.file, ...spec.args], env: spec.env };
  };
  return async (run, signal) => {
    const { path } = await history(signal);
    const { argv, env } = callOf(run);
    return cage.run(argv, {
      workspace,
      cwd: CAGED_WORKSPACE,
      binds: [{ from: path, to: CAGED_GIT_DIR }],
      env,
      ...(run.stdin === undefined ? {} : { stdin: run.stdin }),
      timeoutMs: BASH_TIMEOUT_MS,
      outputBytes: run.outputBytes ?? BASH_OUTPUT_BYTES,
      signal,
    });
  };
};
