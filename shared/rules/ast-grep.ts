import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RulesEngineFailedError, RulesEngineMissingError, RulesTimeoutError } from './model/errors.ts';

/** The packages that hold the binary. Their parent, @ast-grep/cli, would add a second copy of it (56 MB) when it is installed. */
const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@ast-grep/cli-linux-x64-gnu',
  'linux-arm64': '@ast-grep/cli-linux-arm64-gnu',
  'darwin-x64': '@ast-grep/cli-darwin-x64',
  'darwin-arm64': '@ast-grep/cli-darwin-arm64',
  'win32-x64': '@ast-grep/cli-win32-x64-msvc',
  'win32-arm64': '@ast-grep/cli-win32-arm64-msvc',
  'win32-ia32': '@ast-grep/cli-win32-ia32-msvc',
};

/** @throws RulesEngineMissingError if the platform has no binary (for example musl) or the binary is not installed. */
export const findAstGrep = (platform = `${process.platform}-${process.arch}`): string => {
  const name = PACKAGES[platform];
  if (name === undefined) throw new RulesEngineMissingError({ platform });
  const { resolve } = createRequire(import.meta.url);
  try {
    return join(dirname(resolve(`${name}/package.json`)), platform.startsWith('win32') ? 'ast-grep.exe' : 'ast-grep');
  } catch (cause) {
    throw new RulesEngineMissingError({ platform, package: name }, cause);
  }
};

export type AstGrepRun = {
  readonly binary: string;
  readonly args: readonly string[];
  /** A private folder, because ast-grep reads configuration from its working directory. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
};

/**
 * Runs ast-grep once with an empty environment and returns its standard output. When this returns, the process has ended.
 * @throws RulesTimeoutError; RulesEngineFailedError; the signal's reason if aborted.
 */
export const runAstGrep = (run: AstGrepRun, signal: AbortSignal): Promise<string> => {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(run.binary, run.args, { cwd: run.cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    let bytes = 0;
    let complaint = '';
    let failure: unknown = null;
    const stop = (why: unknown): void => {
      failure ??= why;
      child.kill('SIGKILL');
    };
    const abort = (): void => stop(signal.reason);
    const timer = setTimeout(() => stop(new RulesTimeoutError({ timeoutMs: run.timeoutMs })), run.timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > run.maxOutputBytes) stop(new RulesEngineFailedError({ reason: 'output', bytes }));
      else output.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString('utf8')).slice(0, 2000);
    });
    child.on('error', (cause) => stop(new RulesEngineFailedError({ reason: 'spawn' }, cause)));
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (failure === null && code !== 0)
        failure = new RulesEngineFailedError({ reason: 'exit', code, signal: killedBy }, new Error(complaint));
      if (failure === null) resolve(Buffer.concat(output).toString('utf8'));
      else reject(failure);
    });
  });
};
