import { delimiter, isAbsolute, join } from 'node:path';
import { AppError, type Disposition } from '../../errors.ts';
import { type CommandResult, type CommandSpec, runCommand } from '../process/command.ts';
import { complaintIn, type GitComplaint } from './git-words.ts';
import { isProgram } from '../process/programs.ts';

export type GitErrorCode =
  | 'GIT_FAILED'
  /** The disk of this machine is full (GIT_DISK_FULL) or not writable (GIT_DISK_REFUSED). */
  | 'GIT_DISK_FULL'
  | 'GIT_DISK_REFUSED'
  /**
   * The next four codes, in this order: the server rejects the credential, lacks the repository, redirects, or has an
   * untrusted certificate.
   */
  | 'GIT_UNAUTHORISED'
  | 'GIT_REPOSITORY_MISSING'
  | 'GIT_REDIRECTED'
  | 'GIT_UNTRUSTED'
  | 'GIT_TIMEOUT'
  | 'GIT_TOO_LARGE'
  | 'GIT_NOT_FOUND'
  | 'GIT_TOO_OLD'
  | 'GIT_REFUSED'
  | 'GIT_BAD_OUTPUT';

/** Messages are scrubbed: no user information from URLs, no control characters, at most 500 characters of git's output. */
export class GitError extends AppError {}

export const gitError = (
  code: GitErrorCode,
  message: string,
  disposition: Disposition['kind'] & ('retry' | 'fail'),
  cause?: unknown,
): GitError => new GitError({ code, message, disposition: { kind: disposition }, cause });

export type Protocol = 'https' | 'http' | 'file';

export type GitSettings = {
  readonly gitPath: string;
  readonly gitDir: string;
  readonly workTree?: string;
  /** Protocols that remote URLs may use; empty for every git that does not access the network. */
  readonly allowProtocols: readonly Protocol[];
  /**
   * Set only when new objects are written to a separate folder, whose `info/alternates` points to the repository's
   * objects.
   */
  readonly objectDirectory?: string;
};

export type GitRun = {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly input?: Uint8Array;
  readonly secretInput?: Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes besides 0 that are not errors. */
  readonly answers?: readonly number[];
  /** If true, output beyond `maxBytes` is truncated, and the result says so. Otherwise it is an error. */
  readonly mayTruncate?: boolean;
};

/**
 * Contract: no configuration, hook, filter, helper, pager or attribute of the system, the user, the repository or the
 * reviewed tree affects any call. `run` throws `GitError` when git fails, times out or prints too much.
 */
export type Git = {
  readonly gitPath: string;
  readonly gitDir: string;
  run(args: readonly string[], options: GitRun, signal: AbortSignal): Promise<CommandResult>;
  /** Describes the call that `run` would make, for a long-lived process that the caller starts and ends. */
  spec(args: readonly string[], options: GitRun): CommandSpec;
};

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;
/** Heap limit of one git process, against decompression bombs. Memory-mapped packs do not count. */
const MAX_DATA_BYTES = 1024 * 1024 * 1024;
const MAX_WRITTEN_FILE_BYTES = 8 * 1024 * 1024 * 1024;
/** git treats files of this size or larger as binary and does not diff their lines. */
export const BIG_FILE_BYTES = 1024 * 1024;

/** Overrides all other attribute sources, so that a tree cannot select a driver or a conversion. */
export const SAFE_ATTRIBUTES = '* !filter !diff !merge !text !eol !ident !working-tree-encoding\n';

const forcedConfig = (gitDir: string): readonly string[] => [
  `safe.directory=${gitDir}`,
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.symlinks=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.pager=cat',
  'core.askPass=',
  'core.sshCommand=false',
  'core.gitProxy=',
  'core.quotePath=true',
  `core.bigFileThreshold=${BIG_FILE_BYTES}`,
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'fetch.unpackLimit=1',
  'protocol.version=2',
  'gc.auto=0',
  'maintenance.auto=false',
  'http.followRedirects=false',
  'http.sslVerify=true',
  // No least speed: a server that prepares a pack sends five bytes every five seconds. The time limit of the call remains.
  'http.lowSpeedLimit=0',
  'credential.helper=',
  'transfer.credentialsInUrl=die',
  'log.showSignature=false',
  'merge.renames=true',
  'merge.directoryRenames=false',
  'merge.renormalize=false',
];

const forcedEnvironment = (settings: GitSettings): Record<string, string> => ({
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  HOME: '/nonexistent',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_LFS_SKIP_SMUDGE: '1',
  // `none` matches no protocol; an empty value would mean git's defaults.
  GIT_ALLOW_PROTOCOL: settings.allowProtocols.join(':') || 'none',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_DIR: settings.gitDir,
  ...(settings.workTree === undefined ? {} : { GIT_WORK_TREE: settings.workTree }),
  ...(settings.objectDirectory === undefined ? {} : { GIT_OBJECT_DIRECTORY: settings.objectDirectory }),
  LC_ALL: 'C',
  TZ: 'UTC',
});

/** Cleans git's output for a log line and removes `secrets` from it. */
export const scrub = (text: string, secrets: readonly string[] = []): string => {
  const clean = secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return clean
    .replaceAll(/([a-z][a-z0-9+.-]{0,20}:\/\/)[^/\s@]*@/gi, '$1***@')
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, 500);
};

const secretsOf = (options: Pick<GitRun, 'secretInput'>): readonly string[] =>
  options.secretInput === undefined ? [] : Buffer.from(options.secretInput).toString('utf8').split('\n');

type Failing = { readonly code: GitErrorCode; readonly disposition: 'retry' | 'fail' };

const COMPLAINTS: Readonly<Record<GitComplaint, Failing>> = {
  disk_full: { code: 'GIT_DISK_FULL', disposition: 'retry' },
  disk_refused: { code: 'GIT_DISK_REFUSED', disposition: 'fail' },
  refused: { code: 'GIT_UNAUTHORISED', disposition: 'fail' },
  missing: { code: 'GIT_REPOSITORY_MISSING', disposition: 'retry' },
  moved: { code: 'GIT_REDIRECTED', disposition: 'retry' },
  untrusted: { code: 'GIT_UNTRUSTED', disposition: 'fail' },
};

/** A cause that lies with the server is considered only for calls that may use the network. */
const failingOf = (stderr: string, isRemote: boolean): Failing => {
  const complaint = complaintIn(stderr);
  if (complaint === null || !(isRemote || complaint.startsWith('disk')))
    return { code: 'GIT_FAILED', disposition: 'retry' };
  return COMPLAINTS[complaint];
};

type Judging = GitRun & { readonly isRemote: boolean };

const judge = (args: readonly string[], options: Judging, result: CommandResult): CommandResult => {
  const command = args.find((word) => /^[a-z][a-z-]*$/.test(word)) ?? '';
  if (result.timedOut) throw gitError('GIT_TIMEOUT', `git ${command} timed out`, 'retry');
  if (result.truncated && options.mayTruncate === true) return result;
  if (result.truncated) throw gitError('GIT_TOO_LARGE', `the output of git ${command} exceeds the limit`, 'fail');
  if (result.exitCode !== null && [0, ...(options.answers ?? [])].includes(result.exitCode)) return result;
  throw failureOf(command, options, result);
};

export const failureOf = (
  command: string,
  options: Pick<Judging, 'secretInput' | 'isRemote'>,
  { exitCode, stderr }: Pick<CommandResult, 'exitCode' | 'stderr'>,
): GitError => {
  const words = scrub(stderr, secretsOf(options));
  const { code, disposition } = failingOf(stderr, options.isRemote);
  return gitError(code, `git ${command} failed (${exitCode ?? 'killed'}): ${words}`, disposition);
};

export const createGit = (settings: GitSettings): Git => {
  const isRemote = settings.allowProtocols.length > 0;
  const prefix = forcedConfig(settings.gitDir).flatMap((entry) => ['-c', entry]);
  const spec = (args: readonly string[], options: GitRun): CommandSpec => ({
    file: settings.gitPath,
    args: ['--no-pager', ...prefix, ...args],
    env: { ...forcedEnvironment(settings), ...options.env },
    cwd: settings.gitDir,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxStdoutBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
    limits: { dataBytes: MAX_DATA_BYTES, fileBytes: MAX_WRITTEN_FILE_BYTES },
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.secretInput === undefined ? {} : { secretInput: options.secretInput }),
  });
  return {
    gitPath: settings.gitPath,
    gitDir: settings.gitDir,
    spec,
    run: async (args, options, signal) =>
      judge(args, { ...options, isRemote }, await runCommand(spec(args, options), signal)),
  };
};

/** Finds the operator's git. Ignores relative entries of `PATH`, because they depend on the current folder. */
export const findGit = (path: string): string => {
  const folders = ['/usr/bin', ...path.split(delimiter).filter((folder) => isAbsolute(folder))];
  const found = folders.map((folder) => join(folder, 'git')).find(isProgram);
  if (found === undefined) throw gitError('GIT_NOT_FOUND', 'git is not installed, or not on PATH', 'fail');
  return found;
};

/** Older versions lack fixes for remotely exploitable vulnerabilities (such as CVE-2024-32002). */
const OLDEST: readonly [number, number, number] = [2, 39, 5];

export const isRecentEnough = (version: readonly number[]): boolean => {
  for (const [index, least] of OLDEST.entries()) {
    const actual = version[index] ?? 0;
    if (actual !== least) return actual > least;
  }
  return true;
};

/** Returns the version of git. @throws `GIT_TOO_OLD`. */
export const checkGitVersion = async (gitPath: string, signal: AbortSignal): Promise<string> => {
  const git = createGit({ gitPath, gitDir: '/', allowProtocols: [] });
  const { stdout } = await git.run(['version'], { timeoutMs: 10_000, maxBytes: 1024 }, signal);
  const match = /^git version (\d+)\.(\d+)(?:\.(\d+))?/.exec(stdout.toString('utf8'));
  if (match === null) throw gitError('GIT_BAD_OUTPUT', 'git did not report its version', 'fail');
  const version = match.slice(1).map((part) => Number(part ?? 0));
  if (!isRecentEnough(version)) {
    throw gitError(
      'GIT_TOO_OLD',
      `git ${version.join('.')} is too old; at least ${OLDEST.join('.')} is required`,
      'fail',
    );
  }
  return version.join('.');
};
