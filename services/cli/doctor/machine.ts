import { randomBytes } from 'node:crypto';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../../shared/config/load.ts';
import { AppError } from '../../../shared/errors.ts';
import { checkGitVersion, findGit } from '../../../shared/workspace/git/git.ts';
import { type Check, fail, ok, type Seen, warn } from './check.ts';
import { isExecutable } from '../../../shared/workspace/process/programs.ts';

export type Machine = {
  readonly searchPath: string;
  readonly nodeVersion: string;
  /** Contract: throws `GitError` when git is not installed. */
  readonly gitPath: () => string;
  /** Null when the operating system has no user ids. */
  readonly uid: number | null;
  readonly isProgram: (file: string) => boolean;
  readonly freeBytes: (folder: string) => Promise<number>;
  readonly nowMs: () => number;
};

export const thisMachine = (): Machine => {
  const searchPath = process.env['PATH'] ?? '';
  return {
    searchPath,
    nodeVersion: process.versions.node,
    gitPath: () => findGit(searchPath),
    uid: process.getuid?.() ?? null,
    isProgram: isExecutable,
    freeBytes: async (folder) => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    nowMs: () => Date.now(),
  };
};

/** The same version as in package.json. */
const OLDEST_NODE = [20, 19] as const;

const lookAtNode = ({ nodeVersion }: Machine): Seen => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [least, leastMinor] = OLDEST_NODE;
  return major > least || (major === least && minor >= leastMinor)
    ? ok(`version ${nodeVersion}`)
    : fail(`version ${nodeVersion} is too old`, `install Node ${least}.${leastMinor} or newer`);
};

const GIT_FIX = 'install git 2.39.5 or newer: older versions have vulnerabilities that a repository can exploit';

const lookAtGit = async ({ gitPath }: Machine, signal: AbortSignal): Promise<Seen> => {
  try {
    return ok(`version ${await checkGitVersion(gitPath(), signal)}`);
  } catch (error) {
    if (error instanceof AppError) return fail(error.message, GIT_FIX);
    throw error;
  }
};

const lookAtAccount = ({ uid, isProgram }: Machine): Seen => {
  if (uid !== 0) return ok(uid === null ? 'this system has no accounts' : `uid ${uid}`);
  if (isProgram('/usr/bin/setpriv') || isProgram('/bin/setpriv')) {
    return warn('it runs as root; tools of a model run under another account', 'run Fixpoint under its own account');
  }
  return fail(
    'Fixpoint runs as root without setpriv, so tools of a model cannot run under another account',
    'run Fixpoint under its own account, or install util-linux (setpriv)',
  );
};

const GIB = 1024 ** 3;
const asGib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`;

const lookAtDataFolder = async ({ dataDir }: Config, { freeBytes }: Machine): Promise<Seen> => {
  const probe = path.join(dataDir, `doctor-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(dataDir, { recursive: true });
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    return fail(
      `${dataDir} is not writable (${code})`,
      'make the account of the services the owner of this folder, or change data_dir',
    );
  }
  const free = await freeBytes(dataDir);
  const text = `${dataDir}: ${asGib(free)} free`;
  if (free < GIB / 4) return fail(text, 'free some disk space: mirrors and checkouts do not fit');
  return free < 2 * GIB
    ? warn(text, 'free some disk space: the mirror of one large repository may use all that is left')
    : ok(text);
};

const QUICK_MS = 15_000;

const quick = (name: string, fix: string, look: Check['look']): Check => ({ name, timeoutMs: QUICK_MS, fix, look });

export const machineChecks = (machine: Machine): readonly Check[] => [
  quick('node', 'install Node 20.19 or newer', async () => [lookAtNode(machine)]),
  quick('git', GIT_FIX, async (signal) => [await lookAtGit(machine, signal)]),
  quick('account', 'run Fixpoint under its own account', async () => [lookAtAccount(machine)]),
];

export const dataFolderCheck = (config: Config, machine: Machine): Check =>
  quick('data folder', 'check the disk of data_dir', async () => [await lookAtDataFolder(config, machine)]);
