import { type ChildProcess, spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { AppError } from '../../errors.ts';
import { isExecutable } from './programs.ts';

/** The program could not be started: it is missing or not executable, or no process could be created. */
export class ProcessStartError extends AppError {}

export type CommandSpec = {
  /** Absolute path of the binary. No `PATH` lookup and no shell is used. */
  readonly file: string;
  readonly args: readonly string[];
  /** The complete environment of the child, which inherits nothing. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Bytes for standard input. When absent, standard input is closed. */
  readonly input?: Uint8Array;
  /** Bytes that the child reads from descriptor 3. These bytes do not appear in argv, the environment or a file. */
  readonly secretInput?: Uint8Array;
  readonly timeoutMs: number;
  /** When the child writes more, it is killed, and the first `maxStdoutBytes` are kept. */
  readonly maxStdoutBytes: number;
  /** Kernel limits on heap and on each written file. Applied only when `prlimit` is installed. */
  readonly limits?: { readonly dataBytes: number; readonly fileBytes: number };
};

export type CommandResult = {
  /** Null when a signal ended the process. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  /** The first 16 KiB of standard error. */
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly truncated: boolean;
};

const MAX_STDERR_BYTES = 16 * 1024;
const PRLIMIT = '/usr/bin/prlimit';

const hasPrlimit = isExecutable(PRLIMIT);

/** Keeps the first `maxBytes` bytes and reports whether there were more. */
export const createSink = (maxBytes: number) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    push(chunk: Buffer): boolean {
      const kept = chunk.subarray(0, maxBytes - bytes);
      if (kept.length > 0) chunks.push(kept);
      bytes += kept.length;
      return kept.length === chunk.length;
    },
    take: (): Buffer => Buffer.concat(chunks),
  };
};

/** Kills the child and everything that it started, even if the child itself has already ended. */
export const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
};

const withLimits = (spec: CommandSpec): readonly [string, readonly string[]] => {
  if (spec.limits === undefined || !hasPrlimit) return [spec.file, spec.args];
  const { dataBytes, fileBytes } = spec.limits;
  return [PRLIMIT, [`--data=${dataBytes}`, `--fsize=${fileBytes}`, '--core=0', '--', spec.file, ...spec.args]];
};

/** Starts the child in its own process group, so that `killGroup` kills all of it. */
export const startCommand = (spec: CommandSpec): ChildProcess => {
  if (!isAbsolute(spec.file)) {
    throw new ProcessStartError({
      code: 'COMMAND_NOT_ABSOLUTE',
      message: 'a command must be given as an absolute path',
      disposition: { kind: 'fail' },
    });
  }
  const [file, args] = withLimits(spec);
  const stdio: ('ignore' | 'pipe')[] = [spec.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  if (spec.secretInput !== undefined) stdio.push('pipe');
  return spawn(file, args, { cwd: spec.cwd, env: { ...spec.env }, shell: false, detached: true, stdio });
};

const feed = (child: ChildProcess, index: number, bytes: Uint8Array | undefined): void => {
  const stream = child.stdio[index];
  if (bytes === undefined || !stream || !('end' in stream)) return;
  // A write error means that the child ended without reading its input; its exit code reports that.
  stream.on('error', () => {});
  stream.end(bytes);
};

export const notStarted = (file: string, cause: unknown): ProcessStartError =>
  new ProcessStartError({
    code: 'COMMAND_NOT_STARTED',
    message: `${file} could not be started`,
    disposition: { kind: 'retry' },
    cause,
  });

/**
 * Runs one program until it ends. Failures of the program are returned as values. @throws `ProcessStartError` when no
 * process was created, and `signal.reason` after an abort. The process group is dead when the promise settles.
 */
export const runCommand = async (spec: CommandSpec, signal: AbortSignal): Promise<CommandResult> => {
  signal.throwIfAborted();
  const child = startCommand(spec);
  const stdout = createSink(spec.maxStdoutBytes);
  const stderr = createSink(MAX_STDERR_BYTES);
  let timedOut = false;
  let truncated = false;
  const stop = (): void => {
    killGroup(child);
    // A grandchild outside the group could keep the pipes open for ever.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, spec.timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (cause) => reject(notStarted(spec.file, cause)));
      child.once('exit', () => killGroup(child));
      child.once('close', (code) => resolve(code));
      child.stdout?.on('data', (chunk: Buffer) => {
        if (truncated || stdout.push(chunk)) return;
        truncated = true;
        stop();
      });
      child.stderr?.on('data', (chunk: Buffer) => void stderr.push(chunk));
      feed(child, 0, spec.input);
      feed(child, 3, spec.secretInput);
    });
    signal.throwIfAborted();
    return { exitCode, stdout: stdout.take(), stderr: stderr.take().toString('utf8'), timedOut, truncated };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
};
