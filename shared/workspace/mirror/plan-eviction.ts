/** Which mirrors to remove. Only computes. */
export type KeptMirror = {
  /** The path of the mirror without its generation. */
  readonly base: string;
  readonly bytes: number;
  readonly usedAtMs: number;
  readonly inUse: boolean;
};

/**
 * `unused`: not used for a long time. `oversized`: larger than the cap alone. `cap`: all mirrors together are larger.
 * `disk_full`: a write failed because the disk is full.
 */
export const EVICTION_REASONS = ['unused', 'oversized', 'cap', 'disk_full'] as const;
export type EvictionReason = (typeof EVICTION_REASONS)[number];

export type Eviction = { readonly mirror: KeptMirror; readonly reason: EvictionReason };

export type EvictionLimits = { readonly nowMs: number; readonly maxBytes: number; readonly unusedMs: number };

const leastUsedFirst = (mirrors: readonly KeptMirror[]): readonly KeptMirror[] =>
  mirrors.toSorted((one, other) => one.usedAtMs - other.usedAtMs || (one.base < other.base ? -1 : 1));

export const totalBytes = (mirrors: readonly Pick<KeptMirror, 'bytes'>[]): number =>
  mirrors.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * A mirror that is larger than the cap alone is removed, but evicts no other mirror, because that would not make it fit. A
 * mirror in use counts, but stays.
 */
export const planEviction = (
  mirrors: readonly KeptMirror[],
  { nowMs, maxBytes, unusedMs }: EvictionLimits,
): readonly Eviction[] => {
  const evictions: Eviction[] = [];
  const left: KeptMirror[] = [];
  for (const mirror of mirrors) {
    const isUnused = nowMs - mirror.usedAtMs >= unusedMs;
    const isOversized = mirror.bytes > maxBytes;
    if (mirror.inUse || (!isUnused && !isOversized)) {
      if (!isOversized) left.push(mirror);
    } else evictions.push({ mirror, reason: isUnused ? 'unused' : 'oversized' });
  }
  let excess = totalBytes(left) - maxBytes;
  for (const mirror of leastUsedFirst(left)) {
    if (excess <= 0) break;
    if (mirror.inUse || mirror.bytes === 0) continue;
    evictions.push({ mirror, reason: 'cap' });
    excess -= mirror.bytes;
  }
  return evictions;
};

/** When the disk is full: the least used mirrors, together at least half of what may be removed. */
export const planRoom = (mirrors: readonly KeptMirror[]): readonly Eviction[] => {
  const removable = leastUsedFirst(mirrors.filter(({ inUse, bytes }) => !inUse && bytes > 0));
  const wanted = totalBytes(removable) / 2;
  const evictions: Eviction[] = [];
  let freed = 0;
  for (const mirror of removable) {
    if (freed >= wanted) break;
    evictions.push({ mirror, reason: 'disk_full' });
    freed += mirror.bytes;
  }
  return evictions;
};
