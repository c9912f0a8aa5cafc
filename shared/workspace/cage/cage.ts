/**
 * The cage limits what a program can do when a model or a repository influences it. The program sees the workspace, the
 * machine's own programs and a small `/tmp`; everything but `/tmp` is read-only, unless the workspace is marked
 * writable. It has access to no other file, process, network, secret or environment variable. bubblewrap builds the
 * cage, a seccomp filter restricts system calls, and `check-cage.ts` tests each cage before it is used.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export const CAGED_WORKSPACE = '/workspace';

export type CageBind = {
  readonly from: string;
  /** Absolute path in the cage, below a new top-level folder such as `/git`. Always read-only. */
  readonly to: string;
};

/** Absolute path of a program in the cage, and its arguments. No shell is involved. */
export type CagedArgv = readonly [string, ...string[]];

export type CageView = {
  readonly workspace: string;
  /** Whether the program may write to the workspace, within the file permissions of its account. Default: read-only. */
  readonly isWritable?: boolean;
  /** Folder in the cage in which the program starts. Default: `/workspace`. */
  readonly cwd?: string;
  readonly binds?: readonly CageBind[];
  /** Variables added to `PATH`, `HOME` and `LANG`. They never hold a secret, because the program can print them. */
  readonly env?: Readonly<Record<string, string>>;
};

export type CagedCommand = CageView & {
  readonly stdin?: Uint8Array;
  readonly timeoutMs: number;
  /** When standard output exceeds this size, the cage is killed and the first `outputBytes` are kept. */
  readonly outputBytes: number;
  readonly signal: AbortSignal;
};

export type CageResult = {
  /** Null when a signal ended the cage itself. 128 + signal number when a signal killed the program inside. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** The first 16 KiB of standard error. */
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
};

export type CagedProcess = {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when no process of the cage is left, even if none was started. */
  readonly gone: Promise<void>;
  /** Kills every process of the cage; resolves when none is left. Does nothing when the cage has already ended. */
  readonly kill: () => Promise<void>;
};

/**
 * Contract: when the promise of `run` settles, no process of that cage exists any more. Every outcome that the program
 * can cause is returned as a value. `run` throws `ProcessStartError` when no cage could be started, and `signal.reason`
 * after an abort.
 */
export type Cage = {
  /** Absolute paths, in every cage, of programs that are not part of the system. */
  readonly programs: { readonly node: string; readonly ripgrep: string };
  readonly run: (argv: CagedArgv, command: CagedCommand) => Promise<CageResult>;
  readonly start: (argv: CagedArgv, view: CageView) => CagedProcess;
};
