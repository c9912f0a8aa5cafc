/** Keeps the mirrors of a data folder below a cap, and removes those that are not used any more. */
import { isDiskFull } from '../git/disk-full.ts';
import { forgetBytes, forgetOversized, isNewlyOversized, listMirrors, measureAndStore } from './kept-mirrors.ts';
import { type MirrorProject, mirrorBase } from './mirror-place.ts';
import { removeGone, removeMirror, type MirrorRemoval, type RemovalResult, tidyGenerations } from './remove-mirror.ts';
import {
  type Eviction,
  type EvictionReason,
  type KeptMirror,
  planEviction,
  planRoom,
  totalBytes,
} from './plan-eviction.ts';

export type KeeperSettings = {
  /** The folder with all mirrors. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly unusedMs: number;
};

export type KeeperEvents = {
  readonly onEvicted: (eviction: {
    readonly base: string;
    readonly bytes: number;
    readonly reason: EvictionReason;
  }) => void;
  /** Called once per mirror and cap. */
  readonly onOversized: (mirror: { readonly base: string; readonly bytes: number }) => void;
  /** The space that all mirrors of the folder take. */
  readonly onMeasured: (bytes: number) => void;
  /** Mirrors could not be measured or removed; the next call tries again. */
  readonly onTrouble: (error: unknown) => void;
};

export type MirrorKeeper = {
  /** Measures a mirror after its use, and evicts if that is due. Does not throw. */
  readonly settle: (base: string) => Promise<void>;
  /**
   * Removes mirrors of other projects because the disk is full. False if no space became free, also by another process that
   * removes mirrors now. Does not throw.
   */
  readonly makeRoom: (project: MirrorProject, signal: AbortSignal) => Promise<boolean>;
  /** Packs a mirror in the background if that is due; see `MirrorCarer`. Absent: mirrors are not packed. */
  readonly care?: (base: string, gitPath: string) => void;
  /** Removes what is unused or exceeds the cap. Does not throw. */
  readonly tidy: () => Promise<void>;
};

export type KeeperDeps = KeeperEvents & {
  /** Epoch ms of this machine, because it is compared with the times of files. */
  readonly nowMs: () => number;
  /** Ends all removals. */
  readonly signal: AbortSignal;
  readonly checkpoint?: (step: string) => void;
};

/** Other processes fetch too, so all mirrors are looked at again after this time. */
const LOOK_MS = 10 * 60_000;

/** What this process knows about sizes since it last looked at all mirrors. */
type Known = { totalBytes: number; lookedAtMs: number; sizes: Map<string, number> };

type Keeping = { readonly settings: KeeperSettings; readonly deps: KeeperDeps; readonly known: Known };

/** Returns the mirrors that are not there any more, also those that another process removed first. */
const evict = async (
  { settings, deps }: Keeping,
  evictions: readonly Eviction[],
  signal: AbortSignal,
): Promise<readonly KeptMirror[]> => {
  const absent: KeptMirror[] = [];
  for (const { mirror, reason } of evictions) {
    const { base, bytes } = mirror;
    signal.throwIfAborted();
    if (reason === 'oversized' && (await isNewlyOversized(base, settings.maxBytes))) deps.onOversized({ base, bytes });
    const result = await removeUnlessFull(mirror, removing(deps), signal);
    if (result === 'in_use') continue;
    if (reason === 'unused') await forgetOversized(base);
    if (result === 'removed' && bytes > 0) deps.onEvicted({ base, bytes, reason });
    absent.push(mirror);
  }
  return absent;
};

const remember = ({ deps, known }: Keeping, mirrors: readonly KeptMirror[], absent: readonly KeptMirror[]): void => {
  const left = mirrors.filter((mirror) => !absent.includes(mirror));
  known.sizes = new Map(left.map(({ base, bytes }) => [base, bytes]));
  known.totalBytes = totalBytes(left);
  known.lookedAtMs = deps.nowMs();
  deps.onMeasured(known.totalBytes);
};

const tidyAll = async (keeping: Keeping): Promise<void> => {
  const { settings, deps } = keeping;
  await removeGone(settings.folder);
  const mirrors = await listMirrors(settings.folder, deps.nowMs());
  for (const { base, generations } of mirrors)
    if (generations > 1) await tidyGenerations(base, deps.nowMs(), deps.signal);
  const plan = planEviction(mirrors, { ...settings, nowMs: deps.nowMs() });
  remember(keeping, mirrors, await evict(keeping, plan, deps.signal));
};

const makeRoomWith =
  (keeping: Keeping): MirrorKeeper['makeRoom'] =>
  async (project, signal) => {
    const { folder } = keeping.settings;
    await removeGone(folder);
    const own = mirrorBase(folder, project);
    const mirrors = await listMirrors(folder, keeping.deps.nowMs());
    // The lock of a mirror needs a little space too. Sizes can be measured again.
    for (const { base } of mirrors) await forgetBytes(base);
    const absent = await evict(keeping, planRoom(mirrors.filter(({ base }) => base !== own)), signal);
    // What another process moved away takes space until it is removed.
    await removeGone(folder);
    for (const mirror of mirrors) if (!absent.includes(mirror)) await measureAndStore(mirror.base);
    remember(keeping, mirrors, absent);
    return absent.length > 0;
  };

export const createMirrorKeeper = (settings: KeeperSettings, deps: KeeperDeps): MirrorKeeper => {
  const known: Known = { totalBytes: 0, lookedAtMs: Number.NEGATIVE_INFINITY, sizes: new Map() };
  const keeping = { settings, deps, known };
  let running: Promise<void> | null = null;
  /** At most one look at a time. */
  const tidy = async (): Promise<void> => {
    running ??= tidyAll(keeping).finally(() => {
      running = null;
    });
    return running;
  };
  const settle = async (base: string): Promise<void> => {
    const bytes = await measureAndStore(base);
    known.totalBytes += bytes - (known.sizes.get(base) ?? 0);
    known.sizes.set(base, bytes);
    deps.onMeasured(known.totalBytes);
    if (known.totalBytes > settings.maxBytes || deps.nowMs() - known.lookedAtMs >= LOOK_MS) await tidy();
  };
  const guarded =
    <Given extends readonly unknown[], T>(work: (...given: Given) => Promise<T>, otherwise: T) =>
    async (...given: Given): Promise<T> => {
      try {
        return await work(...given);
      } catch (error) {
        if (!deps.signal.aborted) deps.onTrouble(error);
        return otherwise;
      }
    };
  return {
    settle: guarded(settle, undefined),
    tidy: guarded(tidy, undefined),
    makeRoom: guarded(makeRoomWith(keeping), false),
  };
};

const removing = ({ nowMs, checkpoint }: KeeperDeps): MirrorRemoval => ({
  nowMs: nowMs(),
  ...(checkpoint === undefined ? {} : { checkpoint }),
});

/** On a full disk even the lock file may not fit; the mirror then stays. */
const removeUnlessFull = async (
  mirror: KeptMirror,
  removing: MirrorRemoval,
  signal: AbortSignal,
): Promise<RemovalResult> => {
  try {
    return await removeMirror(mirror, removing, signal);
  } catch (error) {
    if (isDiskFull(error)) return 'in_use';
    throw error;
  }
};
