/** A data folder with a full disk on demand: a small file system, or writes that fail with the same error. */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type FullDisk = {
  readonly folder: string;
  readonly fill: () => Promise<void>;
  readonly empty: () => Promise<void>;
  /** Contract: called when nothing uses `folder` any more. */
  readonly dispose: () => Promise<void>;
};

const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-full-'));
  // The cage's account must reach the checkouts in this folder.
  await chmod(folder, 0o711);
  return folder;
};

/** Enough for a small mirror and a few checkouts. */
const SIZE = '16m';

const run = (file: string, ...args: readonly string[]): void =>
  void childProcess.execFileSync(file, args, { stdio: 'ignore' });

export const mountSmallDisk = async (): Promise<FullDisk | null> => {
  const folder = await makeFolder();
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${SIZE},mode=0711`, 'tmpfs', folder);
  } catch {
    await rm(folder, { recursive: true });
    return null;
  }
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill: async () => fillUp(filler),
    empty: async () => rm(filler, { force: true }),
    dispose: async () => {
      // Lazy unmount: a killed child may still use the folder.
      run('umount', '-l', folder);
      await rm(folder, { recursive: true });
    },
  };
};

const PAGE = Buffer.alloc(4096, 'x');

const fillUp = async (filler: string): Promise<void> => {
  const file = await open(filler, 'a');
  try {
    for (;;) await file.write(PAGE);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
};

const noSpace = (syscall: string, at: string): Error =>
  Object.assign(new Error(`ENOSPC: no space left on device, ${syscall} '${at}'`), {
    errno: -28,
    code: 'ENOSPC',
    syscall,
    path: at,
  });

/** Writing functions of `node:fs/promises`, with the index of their path argument. */
const WRITES = { writeFile: 0, mkdir: 0, mkdtemp: 0, copyFile: 1, open: 0 } as const;

/** Git commands that write objects, packs or refs. */
const GIT_WRITES: ReadonlySet<string> = new Set([
  'init',
  'fetch',
  'hash-object',
  'mktree',
  'commit-tree',
  'merge-tree',
]);

const GIT_WORDS = 'fatal: write error: No space left on device';

/** Makes writes below the folder fail while it is full: file system calls of this process, and its git commands. */
export const failWrites = async (): Promise<FullDisk> => {
  const folder = await makeFolder();
  let isFull = false;
  const restore = [...refuseFileWrites(folder, () => isFull), refuseGitWrites(folder, () => isFull)];
  syncBuiltinESMExports();
  return {
    folder,
    fill: async () => {
      isFull = true;
    },
    empty: async () => {
      isFull = false;
    },
    dispose: async () => {
      for (const undo of restore) undo();
      syncBuiltinESMExports();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};

const isReading = (flags: unknown): boolean => (typeof flags === 'string' ? flags === 'r' : flags === undefined);

const refuseFileWrites = (folder: string, isFull: () => boolean): readonly (() => void)[] =>
  Object.entries(WRITES).map(([name, place]) => {
    const real: unknown = Reflect.get(fs.promises, name);
    if (typeof real !== 'function') throw new Error(`no ${name} to replace`);
    const refusing = async (...args: readonly unknown[]): Promise<unknown> => {
      const at = String(args[place]);
      const reads = name === 'open' && (isReading(args[1]) || typeof args[1] === 'number');
      if (isFull() && at.startsWith(folder) && !reads) throw noSpace(name, at);
      return Reflect.apply(real, fs.promises, args);
    };
    Reflect.set(fs.promises, name, refusing);
    return () => void Reflect.set(fs.promises, name, real);
  });

const refuseGitWrites = (folder: string, isFull: () => boolean): (() => void) => {
  const real = childProcess.spawn;
  const refusing = (file: string, args: readonly string[], options: { readonly cwd?: string }): unknown => {
    const writes = args.some((word) => GIT_WRITES.has(word)) && (options.cwd ?? '').startsWith(folder);
    return isFull() && writes
      ? Reflect.apply(real, childProcess, ['/bin/sh', ['-c', `echo "${GIT_WORDS}" >&2; exit 128`], options])
      : Reflect.apply(real, childProcess, [file, args, options]);
  };
  Reflect.set(childProcess, 'spawn', refusing);
  return () => void Reflect.set(childProcess, 'spawn', real);
};
