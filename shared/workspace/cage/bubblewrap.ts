import { type ChildProcess, type ChildProcessByStdio, spawn, type StdioOptions } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import { withTimeLimit } from '../../time-limit.ts';
import { awaitGone } from './await-gone.ts';
import type { Cage, CagedArgv, CagedCommand, CagedProcess, CageResult, CageView } from './cage.ts';
import {
  ALIVE_FD,
  ARGUMENTS_FD,
  bubblewrapArguments,
  type CageProfile,
  commandLine,
  FILTER_FD,
  STATUS_FD,
} from './cage-profile.ts';
import { ProcessStartError, createSink, killGroup } from '../process/command.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';

type CagedChild = ChildProcessByStdio<Writable, Readable, Readable>;

type Builder = {
  readonly profile: CageProfile;
  readonly inherited: readonly number[];
  /** Descriptor of an open `/dev/null`. */
  readonly nothing: number;
};

type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

type Started = {
  readonly child: CagedChild;
  /** Resolves when the last process of the cage is gone. Rejects when bubblewrap could not be started. */
  readonly ended: Promise<Ended>;
  /** The JSON status that bubblewrap writes. It contains an exit code only when the cage was created. */
  readonly status: () => string;
};

const MAX_STDERR_BYTES = 16 * 1024;
const MAX_STATUS_BYTES = 4096;
/** A high `oom_score_adj`: when memory runs out, the kernel kills a cage before it kills the service. */
const KILLED_FIRST = '500';

const notStarted = (message: string, cause?: unknown): ProcessStartError =>
  new ProcessStartError({ code: 'CAGE_NOT_STARTED', message, disposition: { kind: 'retry' }, cause });

const pipeAt = (child: ChildProcess, fd: number): Duplex => {
  // `stdio` entries after the third are sockets in Node, but their type does not say so.
  const pipe = child.stdio[fd] as Duplex;
  // A write error means that the program ended without reading; its exit code reports that.
  return pipe.on('error', () => {});
};

const offerToTheKernel = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, KILLED_FIRST);
  } catch {
    // The process has already ended, or the kernel lacks this file. The cage works without it.
  }
};

/** bubblewrap exits as soon as the program does, even if other processes of the cage are still running. */
const endOf = async (child: ChildProcess, status: () => string): Promise<Ended> => {
  const end = await new Promise<Ended>((resolve, reject) => {
    child.once('error', (cause) => reject(notStarted('the cage could not be started', cause)));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const first = /"child-pid":\s*(\d+)/.exec(status())?.[1];
  if (first !== undefined) await awaitGone(Number(first));
  return end;
};

/** Replaces the descriptors that the service inherited with `/dev/null`, so that the program cannot use them. */
const descriptorsOf = ({ inherited, nothing }: Builder): StdioOptions =>
  Array.from({ length: Math.max(STATUS_FD, ...inherited) + 1 }, (_, fd) => {
    if (fd <= STATUS_FD) return 'pipe';
    return inherited.includes(fd) ? nothing : 'ignore';
  });

const startCage = (builder: Builder, argv: CagedArgv, view: CageView): Started => {
  const { profile } = builder;
  const [file, args] = commandLine(profile, argv);
  const stdio = descriptorsOf(builder);
  // The cast is safe because `stdio` makes the first three pipes.
  const child = spawn(file, args, { cwd: '/', env: {}, shell: false, detached: true, stdio }) as CagedChild;
  const status = createSink(MAX_STATUS_BYTES);
  const statusText = (): string => status.take().toString('utf8');
  const ended = endOf(child, statusText);
  offerToTheKernel(child);
  child.stdin.on('error', () => {});
  pipeAt(child, ARGUMENTS_FD).end(
    bubblewrapArguments(profile, view)
      .map((word) => `${word}\0`)
      .join(''),
  );
  pipeAt(child, FILTER_FD).end(profile.filter);
  pipeAt(child, ALIVE_FD).resume();
  pipeAt(child, STATUS_FD).on('data', (chunk: Buffer) => void status.push(chunk));
  return { child, ended, status: statusText };
};

const runToItsEnd = async (
  builder: Builder,
  argv: CagedArgv,
  command: CagedCommand & { readonly limited: AbortSignal },
): Promise<CageResult> => {
  const { child, ended, status } = startCage(builder, argv, command);
  const stdout = createSink(command.outputBytes);
  const stderr = createSink(MAX_STDERR_BYTES);
  let truncated = false;
  const kill = (): void => killGroup(child);
  command.limited.addEventListener('abort', kill, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    if (truncated || stdout.push(chunk)) return;
    truncated = true;
    kill();
  });
  child.stderr.on('data', (chunk: Buffer) => void stderr.push(chunk));
  child.stdin.end(command.stdin);
  try {
    const end = await ended;
    const timedOut = command.limited.aborted;
    const said = stderr.take().toString('utf8');
    if (!timedOut && !truncated && !status().includes('"exit-code"')) throw notStarted(`the cage failed: ${said}`);
    return { ...end, stdout: stdout.take(), stderr: said, truncated, timedOut };
  } finally {
    command.limited.removeEventListener('abort', kill);
  }
};

const keepRunning = (builder: Builder, argv: CagedArgv, view: CageView): CagedProcess => {
  const { child, ended } = startCage(builder, argv, view);
  const gone = ended.then(
    () => {},
    () => {},
  );
  return {
    child,
    gone,
    kill: async () => {
      killGroup(child);
      // `close` fires only after the output streams end, and nobody reads them any more.
      child.stdout.destroy();
      child.stderr.destroy();
      await gone;
    },
  };
};

/** Descriptor of `/dev/null`, opened once per process and shared by all its cages. */
let openNothing: number | null = null;

export const createBubblewrap = (profile: CageProfile): Cage => {
  const nothing = (openNothing ??= openSync('/dev/null', 'r'));
  const builder: Builder = { profile, inherited: inheritedDescriptors(), nothing };
  return {
    programs: profile.programs,
    run: async (argv, command) => {
      const { signal, timeoutMs } = command;
      signal.throwIfAborted();
      const result = await withTimeLimit({ ms: timeoutMs, signal }, async (limited) =>
        runToItsEnd(builder, argv, { ...command, limited }),
      );
      signal.throwIfAborted();
      return result;
    },
    start: (argv, view) => keepRunning(builder, argv, view),
  };
};
