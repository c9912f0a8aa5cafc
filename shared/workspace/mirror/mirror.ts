import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitSha, ForgeId } from '../../vocabulary/ids.ts';
import { installAskpass } from '../git/askpass.ts';
import { type FileLockSettings, withFileLock } from '../process/file-lock.ts';
import { type FetchRequest, type FetchResult, fetchById, fetchVerified } from './fetch-head.ts';
import { fetchRef, type RefRequest, type RefResult } from './fetch-ref.ts';
import { createGit, GitError, type Git, type GitSettings, type Protocol } from '../git/git.ts';
import { parseBranch, parseGitSource, parseGitUrl } from '../git/git-source.ts';
import { type ObjectFormat, openMirror } from './mirror-folder.ts';
import { type CheckDepth, currentMirror, isDamaged, leaveBehind } from './mirror-generation.ts';
import { noteReviewed } from './mirror-care.ts';
import { mirrorBase, mirrorsFolder } from './mirror-place.ts';
import { beginUse } from './mirror-use.ts';
import { createRemote, type PushWish, type Remote } from '../git/remote.ts';
import type { ProxySetting } from '../../vocabulary/proxy-setting.ts';

export type TipRequest = Pick<FetchRequest, 'source' | 'credential'> & { readonly branch: string };

export type PushRequest = Pick<FetchRequest, 'source' | 'credential'> &
  PushWish & {
    readonly objectDirectory?: string;
  };

/** `moved`: the branch is at another commit or was deleted. `refused`: the server rejected the push, the branch is unchanged. */
export type PushResult = 'pushed' | 'moved' | 'refused';

export type MirrorSettings = {
  /** Absolute path. Mirrors are stored in `mirrors/` below it, never inside a work tree. */
  readonly dataFolder: string;
  readonly gitPath: string;
  readonly forge: ForgeId;
  /** The project's numeric id, or another name of its mirror. */
  readonly projectId: number | string;
  /** The object format of the forge's repository. Default: `sha1`. */
  readonly objectFormat?: ObjectFormat;
  /** Protocols allowed in addition to `https`, and `http` on loopback. */
  readonly allowProtocols: readonly Protocol[];
  readonly fetchTimeoutMs?: number;
  /** PEM file of the certificate authority that signed the forge's certificate. */
  readonly caFile?: string;
  /** Default: no proxy. */
  readonly proxy?: ProxySetting;
  /** Called after a use of the mirror. Contract: must not throw. */
  readonly onReleased?: (base: string) => Promise<void>;
};

/** One bare repository per project. It is fetched into and never checked out. */
export type Mirror = {
  /** A git for reading, which may use no network protocol. */
  readonly git: Git;
  /** Verifies that the head is the expected one. @throws `GIT_REFUSED`: invalid source. @throws `GIT_FAILED`: fetch failed. */
  fetchHead(request: FetchRequest, signal: AbortSignal): Promise<FetchResult>;
  /**
   * Fetches a head by its id, because no ref of the forge contains it any more (after a force-push). The server may
   * refuse.
   */
  fetchCommit(request: FetchRequest, signal: AbortSignal): Promise<'available' | 'unavailable'>;
  /** Fetches a branch or a tag of a repository that has no change request. @throws `GIT_REFUSED`: invalid URL. */
  fetchRef(request: RefRequest, signal: AbortSignal): Promise<RefResult>;
  /** Returns the current commit of a branch of the source; null when the branch does not exist. */
  tipOf(request: TipRequest, signal: AbortSignal): Promise<CommitSha | null>;
  /**
   * Moves one branch of the source from `from` to `to`, whose objects are in `objectDirectory` or in the mirror.
   * Idempotent: a branch that is already at `to` counts as pushed. @throws `GitError` if the branch's commit stays unknown.
   */
  push(request: PushRequest, signal: AbortSignal): Promise<PushResult>;
  /** Abandons a damaged mirror, so that `createMirror` creates a new one. Also true if another process abandoned the mirror. */
  discardIfDamaged(depth: CheckDepth, signal: AbortSignal): Promise<boolean>;
  /** Ends the use, after which the mirror may be removed. Contract: called once, and nothing else after it. */
  release(): Promise<void>;
};

const FETCH_TIMEOUT_MS = 10 * 60_000;
/** Waits for longer than one fetch, because another process may be fetching. */
const lockOf = ({ fetchTimeoutMs = FETCH_TIMEOUT_MS }: Pick<MirrorSettings, 'fetchTimeoutMs'>): FileLockSettings => ({
  waitMs: Math.max(15 * 60_000, fetchTimeoutMs + 5 * 60_000),
  staleMs: 60_000,
  isUrgent: true,
});

const readTip = async (remote: Remote, branch: string, signal: AbortSignal): Promise<CommitSha | null> => {
  const ref = `refs/heads/${branch}`;
  return (await remote.list([ref], signal)).get(ref) ?? null;
};

/** Reads the branch's commit after the push, which is more reliable than git's message, even after a lost connection. */
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

type Locked = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Locks every call to the server, even a listing, because `openMirror` resets the configuration before a credential is sent. */
const lockMirror =
  (offline: GitSettings, base: string, settings: MirrorSettings): Locked =>
  (work, signal) =>
    withFileLock(
      `${base}.lock`,
      lockOf(settings),
      async () => {
        await openMirror(offline, settings.objectFormat ?? 'sha1', signal);
        return work();
      },
      signal,
    );

type Reaching = MirrorSettings & { readonly gitDir: string; readonly timeoutMs: number; readonly askpass: string };

/** Creates the remote of a request, and a second remote when the source branch is in another repository. */
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

const discardWith =
  (base: string, offline: GitSettings, settings: MirrorSettings): Mirror['discardIfDamaged'] =>
  (depth, signal) =>
    withFileLock(
      `${base}.lock`,
      lockOf(settings),
      async () => {
        if ((await currentMirror(base)) !== offline.gitDir) return true;
        if (!(await isDamaged(offline, depth, signal))) return false;
        await leaveBehind(base, offline.gitDir, Date.now());
        return true;
      },
      signal,
    );

type Reach = Parameters<typeof reachWith>[0];

const remoteAt = (reach: Reach, { url, credential }: Pick<RefRequest, 'url' | 'credential'>): Remote =>
  createRemote({ ...reach, credential, source: parseGitUrl(url, reach.allowProtocols) });

/** Opens the mirror of a project, and creates it if it does not exist. Contract: the caller releases it. */
export const createMirror = async (settings: MirrorSettings, signal: AbortSignal): Promise<Mirror> => {
  const folder = mirrorsFolder(settings.dataFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const askpass = await installAskpass(join(settings.dataFolder, 'askpass'));
  const base = mirrorBase(folder, settings);
  const gitDir = await currentMirror(base);
  const timeoutMs = settings.fetchTimeoutMs ?? FETCH_TIMEOUT_MS;
  const offline = { gitPath: settings.gitPath, gitDir, allowProtocols: [] };
  const git = createGit(offline);
  const locked = lockMirror(offline, base, settings);
  // Under the lock, under which mirrors are removed too.
  const use = await locked(async () => beginUse(base), signal);
  const reach = reachWith({ ...settings, gitDir, timeoutMs, askpass });
  return {
    git,
    fetchHead: async (wanted, signal) => {
      const { request, ...ways } = reach(wanted);
      return locked(async () => {
        await noteReviewed(gitDir, request.number, Date.now());
        return fetchVerified({ git, ...ways }, request, signal);
      }, signal);
    },
    fetchCommit: async (wanted, signal) => {
      const { request, ...ways } = reach(wanted);
      return locked(() => fetchById({ git, ...ways }, request, signal), signal);
    },
    fetchRef: async ({ url, credential, ref }, signal) => {
      const remote = remoteAt({ ...settings, gitDir, timeoutMs, askpass }, { url, credential });
      return locked(
        () => fetchRef({ git, remote, isSha1: settings.objectFormat !== 'sha256' }, { ref }, signal),
        signal,
      );
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
    discardIfDamaged: discardWith(base, offline, settings),
    release: async () => {
      await use.end();
      await settings.onReleased?.(base);
    },
  };
};
