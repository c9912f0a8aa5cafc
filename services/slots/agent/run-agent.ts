/**
 * Runs an agent's program once, in its own process group and with the user's environment, which holds its login. When the
 * promise settles, all processes that the program started are dead and the log file holds all of its output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { childEnvironment, WITHOUT_PROMPTS } from '../../../shared/workspace/process/child-environment.ts';
import { killGroup } from '../../../shared/workspace/process/command.ts';
import type { AgentCommand } from './agent-commands.ts';

export type AgentRun = {
  readonly command: AgentCommand;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly logFile: string;
  /** Contract: called for each line of output; never throws. */
  readonly onLine: (line: string) => void;
};

export type AgentEnded = {
  /** The last 16 MiB of standard output. */
  readonly stdout: string;
  /** The last 16 KiB of standard error. */
  readonly stderr: string;
  /** Null when the program exited with 0 in time. */
  readonly failed: string | null;
};

const MAX_STDOUT_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_BYTES = 16 * 1024;
/** Time between SIGTERM and SIGKILL, for a process to write its remaining output. */
const GRACE_MS = 300;
/** Limit for one line passed to `onLine`, because an agent's event may contain a whole file. */
const MAX_LINE_CHARACTERS = 100_000;

/** Keeps the end of the output, because the verdict is there. */
const createTail = (maxBytes: number) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    push: (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      for (let first = chunks[0]; first !== undefined && bytes - first.length >= maxBytes; first = chunks[0]) {
        bytes -= first.length;
        chunks.shift();
      }
    },
    text: (): string => Buffer.concat(chunks).toString('utf8'),
  };
};

const createLines = (onLine: (line: string) => void) => {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk: Buffer): void => {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    // Limits memory for output without line ends, because only the beginning of a long line is shown.
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
    for (const line of lines) onLine(line.slice(0, MAX_LINE_CHARACTERS));
  };
};

const askToEnd = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch {
    // The process has already ended.
  }
  setTimeout(() => {
    killGroup(child);
    // A process outside the group could keep the pipes open for ever.
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, GRACE_MS).unref();
};

const start = ({ command, cwd, env }: AgentRun): ChildProcess =>
  spawn(command.file, command.args, {
    cwd,
    env: { ...childEnvironment(env), ...WITHOUT_PROMPTS },
    shell: false,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });

type Heard = { readonly stdout: () => string; readonly stderr: () => string };

const listen = (child: ChildProcess, run: AgentRun, log: WriteStream): Heard => {
  const tail = createTail(MAX_STDOUT_BYTES);
  const errors = createTail(MAX_STDERR_BYTES);
  const lines = createLines(run.onLine);
  child.stdout?.on('data', (chunk: Buffer) => {
    log.write(chunk);
    tail.push(chunk);
    lines(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    log.write(chunk);
    errors.push(chunk);
  });
  // A program may exit without reading its input (EPIPE). Only its exit code counts.
  child.stdin?.on('error', () => {});
  child.stdin?.end(run.command.input);
  return { stdout: tail.text, stderr: errors.text };
};

/** Waits until everything is in the file, or cannot be written. */
const closeLog = async (log: WriteStream): Promise<void> =>
  new Promise((resolve) => {
    log.end(() => resolve());
  });

const whyNotStarted = (cause: unknown): string =>
  `could not be started (${cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason'})`;

/** Returns the reason if no process was made, such as arguments that are too long or contain a NUL. */
const tryToStart = (run: AgentRun): ChildProcess | string => {
  try {
    return start(run);
  } catch (cause) {
    return whyNotStarted(cause);
  }
};

const howItEnded = (code: number | null, signal: string | null): string | null => {
  if (code === 0) return null;
  return code === null ? `killed by ${signal ?? 'a signal'}` : `exit code ${code}`;
};

/** Failures of the program are returned as values. @throws `signal.reason` after an abort, once all processes are dead */
export const runAgent = async (run: AgentRun, signal: AbortSignal): Promise<AgentEnded> => {
  signal.throwIfAborted();
  const log = createWriteStream(run.logFile, { mode: 0o600 });
  await once(log, 'open');
  // A full disk costs the rest of the log, but not the work of the agent.
  log.on('error', (cause) =>
    run.onLine(`the log cannot be written (${'code' in cause ? String(cause.code) : cause.name})`),
  );
  const child = tryToStart(run);
  if (typeof child === 'string') {
    await closeLog(log);
    return { stdout: '', stderr: '', failed: child };
  }
  const heard = listen(child, run, log);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    askToEnd(child);
  }, run.timeoutMs);
  const stop = (): void => askToEnd(child);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const failed = await new Promise<string | null>((resolve) => {
      child.once('error', (cause) => resolve(whyNotStarted(cause)));
      child.once('exit', () => killGroup(child));
      child.once('close', (code, name) => resolve(howItEnded(code, name)));
    });
    signal.throwIfAborted();
    return {
      stdout: heard.stdout(),
      stderr: heard.stderr(),
      failed: timedOut ? `took longer than ${run.timeoutMs / 1000} s` : failed,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await closeLog(log);
  }
};
