/** Fetches one head of a change request. Only the fetching child process gets the credential. */
import type { GitSource } from '../../forge/port-facts.ts';
import type { ChangeRequest, CommitSha } from '../../vocabulary/ids.ts';
import type { ProxySetting } from '../../vocabulary/proxy-setting.ts';
import type { GitCredential } from '../git/askpass.ts';
import type { Protocol } from '../git/git.ts';
import type { FetchResult } from './fetch-head.ts';
import { isFolderFull } from './is-folder-full.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { formatOf } from './mirror-folder.ts';
import type { MirrorKeeper } from './mirror-keeper.ts';
import type { MirrorProject } from './mirror-place.ts';
import { createRevisions, type Revisions } from '../git/revisions.ts';

export type MirrorAccess = {
  readonly dataFolder: string;
  readonly gitPath: string;
  readonly credential: GitCredential | null;
  readonly allowProtocols: readonly Protocol[];
  readonly caFile: string | null;
  readonly proxy: ProxySetting;
  /** Time limit of one fetch or push. Default: that of `createMirror`. */
  readonly fetchTimeoutMs?: number;
  /** Removes mirrors that are not needed. If absent, all mirrors are kept. */
  readonly keeper?: Pick<MirrorKeeper, 'settle' | 'makeRoom' | 'care'>;
  /** Similarity in percent that the forge uses; see rename-likeness.ts. */
  readonly renameLikeness: number;
};

export type HeadRequest = {
  readonly changeRequest: ChangeRequest;
  readonly source: GitSource;
  readonly head: CommitSha;
  readonly targetBranch: string;
  /** Heads of earlier rounds, which are fetched too unless the server refuses. */
  readonly earlierHeads: readonly CommitSha[];
  /** If true, a head that the forge's ref no longer points to is fetched by its id. */
  readonly evenIfMoved: boolean;
};

export type OpenedHead =
  | { readonly kind: 'opened'; readonly revisions: Revisions }
  | Exclude<FetchResult, { readonly kind: 'fetched' }>;

/** What follows a use of a mirror: it is measured, and packed in the background if that is due. */
export const afterUse =
  ({ keeper, gitPath }: Pick<MirrorAccess, 'gitPath'> & { readonly keeper: MirrorAccess['keeper'] | undefined }) =>
  async (base: string): Promise<void> => {
    await keeper?.settle(base);
    keeper?.care?.(base, gitPath);
  };

/** Contract: the caller releases the mirror. */
export const openMirrorOf = async (
  { dataFolder, gitPath, allowProtocols, caFile, proxy, fetchTimeoutMs, keeper }: MirrorAccess,
  { changeRequest: { forge, projectId }, head }: Pick<HeadRequest, 'changeRequest' | 'head'>,
  signal: AbortSignal,
): Promise<Mirror> => {
  const ca = caFile === null ? {} : { caFile };
  const limit = fetchTimeoutMs === undefined ? {} : { fetchTimeoutMs };
  const onReleased = afterUse({ keeper, gitPath });
  const objectFormat = formatOf(head);
  const place = { dataFolder, gitPath, allowProtocols, forge, projectId, objectFormat, proxy };
  const settings = { ...place, ...ca, ...limit, onReleased };
  return createMirror(settings, signal);
};

/** Makes room for a project if an error says that the disk of the data folder is full; see `onSoundMirror`. */
export const roomFor = (
  { keeper, dataFolder }: Pick<MirrorAccess, 'keeper' | 'dataFolder'>,
  project: MirrorProject,
): ((error: unknown, signal: AbortSignal) => Promise<boolean>) | undefined =>
  keeper === undefined
    ? undefined
    : async (error, signal) => (await isFolderFull(dataFolder, error)) && keeper.makeRoom(project, signal);

/** Contract: the caller closes the `revisions` of `opened`. */
export const openHeadIn = async (
  mirror: Mirror,
  { credential, renameLikeness }: Pick<MirrorAccess, 'credential' | 'renameLikeness'>,
  request: HeadRequest,
  signal: AbortSignal,
): Promise<OpenedHead> => {
  const { source, head, targetBranch } = request;
  const wanted = { source, expectedHead: head, targetBranch, credential };
  const fetched = await mirror.fetchHead(wanted, signal);
  if (fetched.kind !== 'fetched' && !(request.evenIfMoved && (await isHere(mirror, wanted, signal)))) return fetched;
  const revisions = createRevisions(mirror.git, { renameLikeness });
  for (const earlier of request.earlierHeads) {
    if (!(await revisions.exists(earlier, signal)))
      await mirror.fetchCommit({ ...wanted, expectedHead: earlier }, signal);
  }
  return { kind: 'opened', revisions };
};

const isHere = async (
  mirror: Mirror,
  wanted: Parameters<Mirror['fetchCommit']>[0],
  signal: AbortSignal,
): Promise<boolean> => (await mirror.fetchCommit(wanted, signal)) === 'available';
