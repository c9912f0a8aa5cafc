/** Fetches the head of a change request into a mirror and verifies that it is the requested commit. */
import type { GitSource } from '../../forge/port-facts.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { GitCredential } from '../git/askpass.ts';
import type { Git } from '../git/git.ts';
import { parseBranch, type RemoteSource } from '../git/git-source.ts';
import { isRefusal, type Remote } from '../git/remote.ts';

export type FetchRequest = {
  readonly source: GitSource;
  readonly expectedHead: CommitSha;
  readonly targetBranch: string;
  /** Passed only to the process that fetches. Null for public projects. */
  readonly credential: GitCredential | null;
};

export type FetchResult =
  | { readonly kind: 'fetched'; readonly head: CommitSha; readonly targetHead: CommitSha }
  /** The forge now has another head, which is not necessarily in the mirror. */
  | { readonly kind: 'head_moved'; readonly actual: CommitSha }
  | { readonly kind: 'missing'; readonly what: 'head' | 'target' };

export type FetchWays = {
  readonly git: Git;
  readonly remote: Remote;
  /** The repository of the source branch; null when it is the target repository. */
  readonly fork: Remote | null;
  readonly branch: RemoteSource['branch'];
};

type Numbered = FetchRequest & { readonly number: string };

export const refsOf = (number: string): string => `refs/fixpoint/${number}`;

export const readRef = async (git: Git, ref: string, signal: AbortSignal): Promise<CommitSha | null> => {
  const { stdout, exitCode } = await git.run(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`],
    { answers: [1, 128] },
    signal,
  );
  // The cast is safe because git prints one full object id.
  return exitCode === 0 ? (stdout.toString('latin1').trim() as CommitSha) : null;
};

const deleteRef = (git: Git, ref: string, signal: AbortSignal) => git.run(['update-ref', '-d', ref], {}, signal);

/** First tries to fetch and verify over one connection. That works if the forge still has the expected head. */
export const fetchVerified = async (ways: FetchWays, request: Numbered, signal: AbortSignal): Promise<FetchResult> => {
  const target = `refs/heads/${parseBranch(request.targetBranch)}`;
  return (
    (await fetchOffered(ways, { ...request, target }, signal)) ?? fetchListed(ways, { ...request, target }, signal)
  );
};

/** Returns null when the forge offers another head, or lacks one of the two refs. Writes refs only for verified commits. */
const fetchOffered = async (
  { git, remote }: FetchWays,
  request: Wanted,
  signal: AbortSignal,
): Promise<FetchResult | null> => {
  const { source, target, expectedHead } = request;
  const [head, targetHead] = (await remote.fetchNamed([source.headRef, target], signal)) ?? [];
  if (head !== expectedHead || targetHead === undefined) return null;
  const refs = [`update ${headRefOf(request)} ${head}`, `update ${targetRefOf(request)} ${targetHead}`];
  await git.run(['update-ref', '--stdin'], { input: Buffer.from(`${refs.join('\n')}\n`) }, signal);
  return { kind: 'fetched', head, targetHead };
};

/** Lists the refs before it fetches, so that a missing or moved ref is detected without parsing git's messages. */
const fetchListed = async (ways: FetchWays, request: Wanted, signal: AbortSignal): Promise<FetchResult> => {
  const { remote, fork, branch } = ways;
  const { source, expectedHead, target } = request;
  const own = branch === null || fork !== null ? [] : [branch.ref];
  const advertised = await remote.list([source.headRef, target, ...own], signal);
  if (!advertised.has(target)) return { kind: 'missing', what: advertised.has(source.headRef) ? 'target' : 'head' };
  const offered = advertised.get(source.headRef) ?? null;
  if (offered === expectedHead) return fetchBoth(ways, { ...request, from: source.headRef }, signal);
  const tip = await tipOfBranch(ways, advertised, signal);
  if (tip === expectedHead && branch !== null) return fetchBoth(ways, { ...request, from: branch.ref }, signal);
  // When the source branch is deleted, the forge may still have the commit, but only by its id.
  if (tip === null && source.branch !== undefined && (await fetchById(ways, request, signal)) === 'available') {
    return fetchTarget(ways, request, signal);
  }
  const actual = tip ?? offered;
  return actual === null ? { kind: 'missing', what: 'head' } : { kind: 'head_moved', actual };
};

/** Returns null when there is no branch, or when the credential cannot read the fork. */
const tipOfBranch = async (
  { fork, branch }: FetchWays,
  advertised: ReadonlyMap<string, CommitSha>,
  signal: AbortSignal,
): Promise<CommitSha | null> => {
  if (branch === null) return null;
  if (fork === null) return advertised.get(branch.ref) ?? null;
  try {
    return (await fork.list([branch.ref], signal)).get(branch.ref) ?? null;
  } catch (error) {
    signal.throwIfAborted();
    if (isRefusal(error)) return null;
    throw error;
  }
};

type Wanted = Numbered & { readonly target: string };

const fetchBoth = async (
  ways: FetchWays,
  request: Wanted & { readonly from: string },
  signal: AbortSignal,
): Promise<FetchResult> => {
  const { git, remote, fork, branch } = ways;
  const headRef = headRefOf(request);
  const wanted = `+${request.from}:${headRef}`;
  const isInFork = fork !== null && request.from === branch?.ref;
  if (isInFork) await fork.fetch([wanted], signal);
  await remote.fetch([...(isInFork ? [] : [wanted]), `+${request.target}:${targetRefOf(request)}`], signal);
  const head = await readRef(git, headRef, signal);
  if (head === null) return { kind: 'missing', what: 'head' };
  if (head !== request.expectedHead) {
    // The branch moved between listing and fetch, so the ref would name the wrong commit.
    await deleteRef(git, headRef, signal);
    return { kind: 'head_moved', actual: head };
  }
  return withTarget(ways, request, signal);
};

const fetchTarget = async (ways: FetchWays, request: Wanted, signal: AbortSignal): Promise<FetchResult> => {
  await ways.remote.fetch([`+${request.target}:${targetRefOf(request)}`], signal);
  return withTarget(ways, request, signal);
};

const withTarget = async (
  { git }: Pick<FetchWays, 'git'>,
  request: Numbered,
  signal: AbortSignal,
): Promise<FetchResult> => {
  const targetHead = await readRef(git, targetRefOf(request), signal);
  return targetHead === null
    ? { kind: 'missing', what: 'target' }
    : { kind: 'fetched', head: request.expectedHead, targetHead };
};

const headRefOf = ({ number, expectedHead }: Numbered): string => `${refsOf(number)}/heads/${expectedHead}`;

const targetRefOf = ({ number }: Numbered): string => `${refsOf(number)}/target`;

/** A server may refuse to send a commit that no ref contains. If the target repository refuses, the fork is tried. */
export const fetchById = async (
  { git, remote, fork }: Pick<FetchWays, 'git' | 'remote' | 'fork'>,
  request: Numbered,
  signal: AbortSignal,
): Promise<'available' | 'unavailable'> => {
  const ref = headRefOf(request);
  const isHere = async (): Promise<boolean> => (await readRef(git, ref, signal)) === request.expectedHead;
  if (await isHere()) return 'available';
  for (const from of fork === null ? [remote] : [remote, fork]) {
    await from.tryFetch([`+${request.expectedHead}:${ref}`], signal);
    if (await isHere()) return 'available';
  }
  return 'unavailable';
};
