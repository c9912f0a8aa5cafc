/** Builds the arguments for bubblewrap: every file and folder of the cage is listed explicitly. */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CAGED_WORKSPACE, type CagedArgv, type CageView } from './cage.ts';

export type CageLimits = {
  /** Maximum number of processes and threads in one cage. */
  readonly processes: number;
  /** Maximum private memory of one process. */
  readonly memoryBytes: number;
  /** Maximum size of `/tmp`, which is deleted with the cage. */
  readonly scratchBytes: number;
};

export type CageProfile = {
  readonly bwrap: string;
  /** Absolute path of `setpriv` and the account that the cage runs under; null when the service does not run as root. */
  readonly account: { readonly setpriv: string; readonly uid: number } | null;
  /** Whether user namespaces are also disabled by limiting their number, which needs a writable `/proc/sys`. */
  readonly countsNamespaces: boolean;
  readonly limits: CageLimits;
  readonly programs: { readonly node: string; readonly ripgrep: string };
  /** Files and folders of the machine that appear at the same path in the cage. */
  readonly readOnlyPaths: readonly string[];
  readonly filter: Uint8Array;
};

/** `nobody`, an account that should own no file of the machine. */
const CAGED_UID = '65534';
const PRLIMIT = '/usr/bin/prlimit';
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_OPEN_FILES = 256;
/** Folders of programs and their libraries. The rest of `/usr` is hidden: some installations keep data or Fixpoint there. */
const SYSTEM_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share'];
const ROOT_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();

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

/** Descriptors for bubblewrap itself. The caged program gets none of them. */
export const ARGUMENTS_FD = 3;
export const FILTER_FD = 4;
/** The first process of the cage keeps this descriptor open, so it closes when that process ends. */
export const ALIVE_FD = 5;
export const STATUS_FD = 6;

/** Mounts no `/proc`: containers that mask their own refuse a new one, and `/proc` shows more than the programs need. */
export const bubblewrapArguments = (profile: CageProfile, view: CageView): readonly string[] => {
  const ids = ['--uid', CAGED_UID, '--gid', CAGED_UID, '--hostname', 'cage'];
  const namespaces = ['--unshare-all', '--unshare-user', ...(profile.countsNamespaces ? ['--disable-userns'] : [])];
  // Without `--cap-drop`, a cage started as root could remount the machine's files writable.
  const rights = ['--cap-drop', 'ALL', '--new-session', '--die-with-parent'];
  // Mounts only `/dev/null`: a full `/dev` would be a second writable folder, without a size limit.
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

/** Sets the limits inside the cage, so that processes are counted per cage and not for the whole account. */
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

/** Contract: bubblewrap reads its arguments from `ARGUMENTS_FD`, which hides them from process lists. */
export const commandLine = (profile: CageProfile, argv: CagedArgv): readonly [string, readonly string[]] => {
  const caged = ['--args', String(ARGUMENTS_FD), '--', ...limited(profile, argv)];
  if (profile.account === null) return [profile.bwrap, caged];
  const { setpriv, uid } = profile.account;
  const account = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', '--'];
  return [setpriv, [...account, profile.bwrap, ...caged]];
};
