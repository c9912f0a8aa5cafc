import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitSource } from '../forge/port.ts';
import type { CommitSha, ForgeId } from '../rounds/vocabulary.ts';
import { type GitCredential, installAskpass } from './askpass.ts';
import { withFileLock } from './file-lock.ts';
import { createGit, GitError, type Git, type GitSettings, type Protocol } from './git.ts';
import { parseBranch, parseGitSource } from './git-source.ts';
import { type ObjectFormat, openMirror } from './mirror-folder.ts';
import { createRemote, type PushWish, type Remote } from './remote.ts';

export type FetchRequest = {
  readonly source: GitSource;
  readonly expectedHead: CommitSha;
  readonly targetBranch: string;
  /** Known to the fetching process alone. Null for public projects. */
  readonly credential: GitCredential | null;
};

export type FetchResult =
  | { readonly kind: 'fetched'; readonly head: CommitSha; readonly targetHead: CommitSha }
  /** The forge has another head by now; nothing of it is promised to be here. */
  | { readonly kind: 'head_moved'; readonly actual: CommitSha }
  | { readonly kind: 'missing'; readonly what: 'head' | 'target' };

export type TipRequest = Pick<FetchRequest, 'source' | 'credential'> & { readonly branch: string };

export type PushRequest = Pick<FetchRequest, 'source' | 'credential'> &
  PushWish & {
    readonly objectDirectory?: string;
  };

/** `moved`: the branch stands elsewhere, or is gone. `refused`: it stands where it stood, the server will not move it. */
export type PushResult = 'pushed' | 'moved' | 'refused';

export type MirrorSettings = {
  /** Absolute. Mirrors go to `mirrors/`, never inside a work tree. */
  readonly dataFolder: string;
  readonly gitPath: string;
  readonly forge: ForgeId;
  readonly projectId: number;
  /** What the forge's repository uses; `sha1` unless said otherwise. */
  readonly objectFormat?: ObjectFormat;
  /** Beyond `https`, and `http` on loopback. */
  readonly allowProtocols: readonly Protocol[];
  readonly fetchTimeoutMs?: number;
  /** PEM file of the authority that signed the forge's certificate. */
  readonly caFile?: string;
  /** `http://host:port` of the operator's proxy. */
  readonly proxyUrl?: string;
};

/** One bare repository per project, fetched into and never checked out. */
export type Mirror = {
  /** For reading: no protocol is allowed on it. */
  readonly git: Git;
  /**
   * Brings head and target branch here and proves that the head is the expected one.
   * Throws `GitError`: `GIT_REFUSED` for a bad source, `GIT_FAILED` when the server or the network fails.
   */
  fetchHead(request: FetchRequest, signal: AbortSignal): Promise<FetchResult>;
  /** Brings a head that the forge's ref has left (force-push), where the server still gives it out by id. */
  fetchCommit(request: FetchRequest, signal: AbortSignal): Promise<'available' | 'unavailable'>;
  /** Where a branch of the source stands now; null when it has none of that name. */
  tipOf(request: TipRequest, signal: AbortSignal): Promise<CommitSha | null>;
  /**
   * Moves one branch of the source from `from` to `to`, whose objects lie in `objectDirectory` or here.
   * Idempotent: a branch that stands at `to` is pushed. Throws `GitError` when nobody can say where it stands.
   */
  push(request: PushRequest, signal: AbortSignal): Promise<PushResult>;
  /** Packs what many fetches left behind. For a quiet moment; readers may go on. */
  maintain(signal: AbortSignal): Promise<void>;
  /** Lets go of everything kept for a change request, so that `maintain` can drop it. */
  forget(source: GitSource, signal: AbortSignal): Promise<void>;
};

const LOCK = { waitMs: 15 * 60_000, staleMs: 60_000 };
const FETCH_TIMEOUT_MS = 10 * 60_000;
const MAINTAIN_TIMEOUT_MS = 30 * 60_000;

const refsOf = (number: string): string => `refs/fixpoint/${number}`;

const readRef = async (git: Git, ref: string, signal: AbortSignal): Promise<CommitSha | null> => {
  const { stdout, exitCode } = await git.run(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`],
    { answers: [1, 128] },
    signal,
  );
  // Git prints one full object id, which is what the brand says.
  return exitCode === 0 ? (stdout.toString('latin1').trim() as CommitSha) : null;
};

const deleteRef = (git: Git, ref: string, signal: AbortSignal) => git.run(['update-ref', '-d', ref], {}, signal);

/** Asks first and fetches then: what is missing or has moved is known without reading git's messages. */
const fetchVerified = async (
  git: Git,
  remote: Remote,
  request: FetchRequest & { readonly number: string },
  signal: AbortSignal,
): Promise<FetchResult> => {
  const target = `refs/heads/${parseBranch(request.targetBranch)}`;
  const advertised = await remote.list([request.source.headRef, target], signal);
  const offered = advertised.get(request.source.headRef);
  if (offered === undefined) return { kind: 'missing', what: 'head' };
  if (offered !== request.expectedHead) return { kind: 'head_moved', actual: offered };
  if (!advertised.has(target)) return { kind: 'missing', what: 'target' };
  const headRef = `${refsOf(request.number)}/heads/${request.expectedHead}`;
  const targetRef = `${refsOf(request.number)}/target`;
  await remote.fetch([`+${request.source.headRef}:${headRef}`, `+${target}:${targetRef}`], signal);
  const head = await readRef(git, headRef, signal);
  const targetHead = await readRef(git, targetRef, signal);
  if (head === null) return { kind: 'missing', what: 'head' };
  if (head !== request.expectedHead) {
    // It moved between the question and the fetch: the ref must not claim what it does not hold.
    await deleteRef(git, headRef, signal);
    return { kind: 'head_moved', actual: head };
  }
  return targetHead === null ? { kind: 'missing', what: 'target' } : { kind: 'fetched', head, targetHead };
};

const fetchById = async (
  git: Git,
  remote: Remote,
  request: FetchRequest & { readonly number: string },
  signal: AbortSignal,
): Promise<'available' | 'unavailable'> => {
  const ref = `${refsOf(request.number)}/heads/${request.expectedHead}`;
  if ((await readRef(git, ref, signal)) === request.expectedHead) return 'available';
  await remote.tryFetch([`+${request.expectedHead}:${ref}`], signal);
  return (await readRef(git, ref, signal)) === request.expectedHead ? 'available' : 'unavailable';
};

const readTip = async (remote: Remote, branch: string, signal: AbortSignal): Promise<CommitSha | null> => {
  const ref = `refs/heads/${branch}`;
  return (await remote.list([ref], signal)).get(ref) ?? null;
};

/** Where the branch stands afterwards says more than any message of git's: also when the answer was lost. */
const pushVerified = async (remote: Remote, wish: PushWish, signal: AbortSignal): Promise<PushResult> => {
  const tip = async (): Promise<CommitSha | null> => readTip(remote, wish.branch, signal);
  const before = await tip();
  if (before === wish.to) return 'pushed';
  if (before !== wish.from) return 'moved';
  try {
    await remote.push(wish, signal);
  } catch (error) {
    if (error instanceof GitError && (await tip()) === wish.to) return 'pushed';
    throw error;
  }
  const after = await tip();
  if (after === wish.to) return 'pushed';
  return after === wish.from ? 'refused' : 'moved';
};

const forgetRefs = async (git: Git, number: string, signal: AbortSignal): Promise<void> => {
  const { stdout } = await git.run(['for-each-ref', '--format=delete %(refname)', `${refsOf(number)}/`], {}, signal);
  await git.run(['update-ref', '--stdin'], { input: stdout }, signal);
};

/** The packing itself is switched on here only: every other call forbids it. */
const MAINTAIN = [
  '-c',
  'gc.auto=2000',
  '-c',
  'gc.autoPackLimit=20',
  '-c',
  'gc.autoDetach=false',
  'gc',
  '--auto',
  '--quiet',
];

type Locked = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Around everything that goes to the server, also where it only asks: no credential goes out under a configuration that
 * somebody else may have written.
 */
const lockMirror =
  (offline: GitSettings, format: ObjectFormat): Locked =>
  (work, signal) =>
    withFileLock(
      `${offline.gitDir}.lock`,
      LOCK,
      async () => {
        await openMirror(offline, format, signal);
        return work();
      },
      signal,
    );

export const createMirror = async (settings: MirrorSettings, signal: AbortSignal): Promise<Mirror> => {
  const folder = join(settings.dataFolder, 'mirrors');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const askpass = await installAskpass(join(settings.dataFolder, 'askpass'));
  const gitDir = join(folder, `${settings.forge}.${settings.projectId}.git`);
  const timeoutMs = settings.fetchTimeoutMs ?? FETCH_TIMEOUT_MS;
  const offline = { gitPath: settings.gitPath, gitDir, allowProtocols: [] };
  const git = createGit(offline);
  const locked = lockMirror(offline, settings.objectFormat ?? 'sha1');
  await locked(async () => undefined, signal);
  const reach = <Request extends Pick<PushRequest, 'source' | 'credential' | 'objectDirectory'>>(request: Request) => {
    const source = parseGitSource(request.source, settings.allowProtocols);
    const { credential, objectDirectory } = request;
    const objects = objectDirectory === undefined ? {} : { objectDirectory };
    const remote = createRemote({ ...settings, gitDir, timeoutMs, askpass, source, credential, ...objects });
    return { remote, request: { ...request, number: source.number } };
  };
  return {
    git,
    fetchHead: async (wanted, signal) => {
      const { remote, request } = reach(wanted);
      return locked(() => fetchVerified(git, remote, request, signal), signal);
    },
    fetchCommit: async (wanted, signal) => {
      const { remote, request } = reach(wanted);
      return locked(() => fetchById(git, remote, request, signal), signal);
    },
    tipOf: async (wanted, signal) => {
      const { remote } = reach(wanted);
      const branch = parseBranch(wanted.branch);
      return locked(() => readTip(remote, branch, signal), signal);
    },
    push: async (wanted, signal) => {
      const wish = { branch: parseBranch(wanted.branch), from: wanted.from, to: wanted.to };
      const { remote } = reach(wanted);
      return locked(() => pushVerified(remote, wish, signal), signal);
    },
    maintain: async (signal) => {
      await locked(() => git.run(MAINTAIN, { timeoutMs: MAINTAIN_TIMEOUT_MS }, signal), signal);
    },
    forget: (source, signal) => {
      const { number } = parseGitSource(source, settings.allowProtocols);
      return locked(() => forgetRefs(git, number, signal), signal);
    },
  };
};
