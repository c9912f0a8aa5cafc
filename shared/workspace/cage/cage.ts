/**
 * The cage: what a program can do that a model or a repository has a say in. It sees the workspace and the machine's own
 * programs, read-only but for a workspace that it is given to change, and a small `/tmp`; no other file, process, network,
 * secret or environment. bubblewrap builds it, our own seccomp filter narrows the kernel, and `check-cage.ts` asks each
 * cage for the proof before it is used.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** Where the workspace stands in the cage. */
export const CAGED_WORKSPACE = '/workspace';

export type CageBind = {
  /** Absolute path of a file or folder on the machine. */
  readonly from: string;
  /** Absolute path of it in the cage, below a folder of its own such as `/git`. Always read-only. */
  readonly to: string;
};

/** Absolute path of a program in the cage, and its arguments. There is no shell. */
export type CagedArgv = readonly [string, ...string[]];

export type CageView = {
  /** The folder that is `/workspace` in the cage. */
  readonly workspace: string;
  /** Whether the program may write to the workspace, as far as its account may; else it is read-only. */
  readonly isWritable?: boolean;
  /** Folder in the cage in which the program starts; `/workspace` without it. */
  readonly cwd?: string;
  readonly binds?: readonly CageBind[];
  /** Beside `PATH`, `HOME` and `LANG`, which every program has. Never a secret: the program may say it. */
  readonly env?: Readonly<Record<string, string>>;
};

export type CagedCommand = CageView & {
  readonly stdin?: Uint8Array;
  readonly timeoutMs: number;
  /** The cage is killed as soon as standard output is longer; what fits is kept. */
  readonly outputBytes: number;
  readonly signal: AbortSignal;
};

export type CageResult = {
  /** Null when a signal ended the cage itself. A program that was killed inside has 128 + the signal. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** The first 16 KiB. */
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
};

/** A program that goes on until it is told to stop. */
export type CagedProcess = {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when nothing of it is left, also when it never began. */
  readonly gone: Promise<void>;
  /** Kills everything in the cage; resolves when nothing of it is left. Harmless when it has ended. */
  readonly kill: () => Promise<void>;
};

/**
 * Contract: when the promise of `run` settles, no process of that cage exists any more. Every end that the program can
 * cause is a value; `run` throws `ProcessStartError` when no cage could be started, and `signal.reason` after an abort.
 */
export type Cage = {
  /** Absolute paths in every cage of programs that are no part of the system. */
  readonly programs: { readonly node: string; readonly ripgrep: string };
  readonly run: (argv: CagedArgv, command: CagedCommand) => Promise<CageResult>;
  readonly start: (argv: CagedArgv, view: CageView) => CagedProcess;
};
