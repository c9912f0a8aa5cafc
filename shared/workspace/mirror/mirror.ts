import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitSource } from '../../forge/port-facts.ts';
import type { CommitSha, ForgeId } from '../../vocabulary/ids.ts';
import { installAskpass } from '../git/askpass.ts';
import { withFileLock } from '../process/file-lock.ts';
import { type FetchRequest, type FetchResult, fetchById, fetchVerified, refsOf } from './fetch-head.ts';
import { createGit, GitError, type Git, type GitSettings, type Protocol } from '../git/git.ts';
import { parseBranch, parseGitSource } from '../git/git-source.ts';
import { type ObjectFormat, openMirror } from './mirror-folder.ts';
import { type CheckDepth, currentMirror, isDamaged, leaveBehind } from './mirror-generation.ts';
import { createRemote, type PushWish, type Remote } from '../git/remote.ts';

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
  /**
   * Looks for damage and leaves a damaged mirror behind, so that `createMirror` begins anew. True also when
   * somebody else has left it behind. `depth`: whether objects are looked at, or the references alone.
   */
  discardIfDamaged(depth: CheckDepth, signal: AbortSignal): Promise<boolean>;
  /** Packs what many fetches left behind. For a quiet moment; readers may go on. */
  maintain(signal: AbortSignal): Promise<void>;
  /** Lets go of everything kept for a change request, so that `maintain` can drop it. */
  forget(source: GitSource, signal: AbortSignal): Promise<void>;
};

const LOCK = { waitMs: 15 * 60_000, staleMs: 60_000 };
const FETCH_TIMEOUT_MS = 10 * 60_000;
const MAINTAIN_TIMEOUT_MS = 30 * 60_000;

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
  (offline: GitSettings, base: string, format: ObjectFormat): Locked =>
  (work, signal) =>
    withFileLock(
      `${base}.lock`,
      LOCK,
      async () => {
        await openMirror(offline, format, signal);
        return work();
      },
      signal,
    );

type Reaching = MirrorSettings & { readonly gitDir: string; readonly timeoutMs: number; readonly askpass: string };

/** The ways to the repository that a request names, and to the one of the head's branch where it is another. */
const reachWith =
  (settings: Reaching) =>
  <Request extends Pick<PushRequest, 'source' | 'credential' | 'objectDirectory'>>(request: Request) => {
    const source = parseGitSource(request.source, settings.allowProtocols);
    const { credential, objectDirectory } = request;
    const objects = objectDirectory === undefined ? {} : { objectDirectory };
    const { branch } = source;
    const common = { ...settings, credential, ...objects };
    const isElsewhere = branch !== null && branch.url !== source.url;
    const fork = isElsewhere ? createRemote({ ...common, source: { ...source, url: branch.url } }) : null;
    const remote = createRemote({ ...common, source });
    return { remote, fork, branch, request: { ...request, number: source.number } };
  };

/** True when another mirror has taken its place, or takes it now. */
const discardWith =
  (base: string, offline: GitSettings): Mirror['discardIfDamaged'] =>
  (depth, signal) =>
    withFileLock(
      `${base}.lock`,
      LOCK,
      async () => {
        if ((await currentMirror(base)) !== offline.gitDir) return true;
        if (!(await isDamaged(offline, depth, signal))) return false;
        await leaveBehind(base, offline.gitDir, Date.now());
        return true;
      },
      signal,
    );

export const createMirror = async (settings: MirrorSettings, signal: AbortSignal): Promise<Mirror> => {
  const folder = join(settings.dataFolder, 'mirrors');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const askpass = await installAskpass(join(settings.dataFolder, 'askpass'));
  const base = join(folder, `${settings.forge}.${settings.projectId}.git`);
  const gitDir = await currentMirror(base);
  const timeoutMs = settings.fetchTimeoutMs ?? FETCH_TIMEOUT_MS;
  const offline = { gitPath: settings.gitPath, gitDir, allowProtocols: [] };
  const git = createGit(offline);
  const locked = lockMirror(offline, base, settings.objectFormat ?? 'sha1');
  await locked(async () => undefined, signal);
  const reach = reachWith({ ...settings, gitDir, timeoutMs, askpass });
  return {
    git,
    fetchHead: async (wanted, signal) => {
      const { request, ...ways } = reach(wanted);
      return locked(() => fetchVerified({ git, ...ways }, request, signal), signal);
    },
    fetchCommit: async (wanted, signal) => {
      const { request, ...ways } = reach(wanted);
      return locked(() => fetchById({ git, ...ways }, request, signal), signal);
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
    discardIfDamaged: discardWith(base, offline),
    maintain: async (signal) => {
      await locked(() => git.run(MAINTAIN, { timeoutMs: MAINTAIN_TIMEOUT_MS }, signal), signal);
    },
    forget: (source, signal) => {
      const { number } = parseGitSource(source, settings.allowProtocols);
      return locked(() => forgetRefs(git, number, signal), signal);
    },
  };
};
