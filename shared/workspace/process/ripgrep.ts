import { createRequire } from 'node:module';
import { AppError } from '../../errors.ts';
import { type CommandResult, runCommand } from './command.ts';

/** ripgrep itself failed. An invalid pattern does not cause this error. */
export class SearchError extends AppError {}

const require = createRequire(import.meta.url);

/** Returns the binary of the npm package, never a binary from `PATH` or from the workspace. */
export const findRipgrep = (): string => {
  try {
    return require.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
  } catch (cause) {
    throw new SearchError({
      code: 'SEARCH_NOT_INSTALLED',
      message: `ripgrep is not installed for ${process.platform}-${process.arch}; run npm install`,
      disposition: { kind: 'fail' },
      cause,
    });
  }
};

/** No configuration or ignore files (they could hide files), no links, only the linear regex engine, a limited pattern size. */
const FORCED = [
  '--no-config',
  '--no-ignore',
  '--hidden',
  '--no-follow',
  '--engine=default',
  '--no-messages',
  '--no-search-zip',
  '--color=never',
  '--threads=2',
  '--sort=path',
  '--regex-size-limit=4M',
  '--dfa-size-limit=4M',
  '--max-filesize=5M',
  // A file name with a line break would make the output ambiguous; a checkout has none.
  '--glob=!*\n*',
];

export const SEARCH_TIMEOUT_MS = 10_000;

export const RIPGREP_ENVIRONMENT = { LC_ALL: 'C.UTF-8' } as const;

export const ripgrepArguments = (args: readonly string[]): readonly string[] => [...FORCED, ...args];

/** Contract: `args` ends with `--` and the words after it. `cwd` is a resolved folder of a workspace. */
export const runRipgrep = (
  cwd: string,
  args: readonly string[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<CommandResult> =>
  runCommand(
    {
      file: findRipgrep(),
      args: ripgrepArguments(args),
      env: RIPGREP_ENVIRONMENT,
      cwd,
      timeoutMs: SEARCH_TIMEOUT_MS,
      maxStdoutBytes: maxBytes,
      limits: { dataBytes: 1024 * 1024 * 1024, fileBytes: 0 },
    },
    signal,
  );
