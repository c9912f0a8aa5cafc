/** What bubblewrap is told: everything that exists in the cage, named one by one. */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CAGED_WORKSPACE, type CagedArgv, type CageView } from './cage.ts';

export type CageLimits = {
  /** Processes and threads of one cage. */
  readonly processes: number;
  /** Memory of one process that it does not share. */
  readonly memoryBytes: number;
  /** `/tmp`, which is gone with the cage. */
  readonly scratchBytes: number;
};

export type CageProfile = {
  readonly bwrap: string;
  /** Absolute path of `setpriv`, and the account that the cage runs under; null where we are not root ourselves. */
  readonly account: { readonly setpriv: string; readonly uid: number } | null;
  /** Whether the cage also forbids user namespaces by their counter, which needs a writable `/proc/sys`. */
  readonly countsNamespaces: boolean;
  readonly limits: CageLimits;
  readonly programs: { readonly node: string; readonly ripgrep: string };
  /** Files and folders of the machine that stand at the same place in the cage. */
  readonly readOnlyPaths: readonly string[];
  readonly filter: Uint8Array;
};

/** Nobody's: no file of the machine should belong to it. */
const CAGED_UID = '65534';
const PRLIMIT = '/usr/bin/prlimit';
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_OPEN_FILES = 256;
/** Programs and their libraries. Not all of `/usr`: some keep what they have written, or Fixpoint itself, below it. */
const SYSTEM_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share'];
const ROOT_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();

/** `/bin` is a link into `/usr` on some machines and a folder of its own on others. */
const showRootFolder = (name: string): readonly string[] => {
  const path = join('/', name);
  if (!existsSync(path)) return [];
  return isLink(path) ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
};

const showSystem = (): readonly string[] => [
  ...SYSTEM_FOLDERS.map((name) => join('/usr', name))
    .filter((path) => existsSync(path))
    .flatMap((path) => ['--ro-bind', path, path]),
  ...ROOT_FOLDERS.flatMap(showRootFolder),
];

const setEnvironment = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries({ PATH: '/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8', ...env }).flatMap(([name, value]) => [
    '--setenv',
    name,
    value,
  ]);

/** Descriptors that bubblewrap finds open. None of them reaches the program. */
export const ARGUMENTS_FD = 3;
export const FILTER_FD = 4;
/** Held by the first process of the cage, so it closes when that one ends. */
export const ALIVE_FD = 5;
export const STATUS_FD = 6;

/** No `/proc`: containers that mask theirs refuse a new one, and it shows more than any program here needs. */
export const bubblewrapArguments = (profile: CageProfile, view: CageView): readonly string[] => {
  const ids = ['--uid', CAGED_UID, '--gid', CAGED_UID, '--hostname', 'cage'];
  const namespaces = ['--unshare-all', '--unshare-user', ...(profile.countsNamespaces ? ['--disable-userns'] : [])];
  // Started as root it would otherwise keep what it takes to mount the machine's files writable again.
  const rights = ['--cap-drop', 'ALL', '--new-session', '--die-with-parent'];
  // Only the one device: the whole of `/dev` would be a second place to write to, without a size.
  const own = ['--dir', '/dev', '--dev-bind', '/dev/null', '/dev/null'];
  const scratch = ['--size', String(profile.limits.scratchBytes), '--tmpfs', '/tmp'];
  const machine = profile.readOnlyPaths.flatMap((path) => ['--ro-bind', path, path]);
  const workspace = [view.isWritable === true ? '--bind' : '--ro-bind', view.workspace, CAGED_WORKSPACE];
  const beside = (view.binds ?? []).flatMap(({ from, to }) => ['--ro-bind', from, to]);
  const shown = [...machine, ...workspace, ...beside];
  const descriptors = ['--seccomp', FILTER_FD, '--sync-fd', ALIVE_FD, '--json-status-fd', STATUS_FD].map(String);
  const root = ['--remount-ro', '/', '--chdir', view.cwd ?? CAGED_WORKSPACE];
  const environment = setEnvironment(view.env ?? {});
  return [namespaces, ids, rights, environment, showSystem(), own, scratch, shown, root, descriptors].flat();
};

/** Inside, so that processes are counted for each cage and not for everything that runs under the account. */
const limited = ({ limits }: CageProfile, argv: CagedArgv): readonly string[] => [
  PRLIMIT,
  `--nproc=${limits.processes}`,
  `--data=${limits.memoryBytes}`,
  `--fsize=${MAX_FILE_BYTES}`,
  `--nofile=${MAX_OPEN_FILES}`,
  '--core=0',
  '--',
  ...argv,
];

/** The whole command line. Contract: bubblewrap's arguments come through `ARGUMENTS_FD`, where no process list shows them. */
export const commandLine = (profile: CageProfile, argv: CagedArgv): readonly [string, readonly string[]] => {
  const caged = ['--args', String(ARGUMENTS_FD), '--', ...limited(profile, argv)];
  if (profile.account === null) return [profile.bwrap, caged];
  const { setpriv, uid } = profile.account;
  const account = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', '--'];
  return [setpriv, [...account, profile.bwrap, ...caged]];
};
