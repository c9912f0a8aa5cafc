/**
 * Prompt caching by the published rules (platform documentation, prompt caching): a prefix is found only where an earlier
 * request set a breakpoint; the search covers at most twenty blocks before each breakpoint of the request; prefixes below
 * the model's minimum are skipped silently; a read renews the time to live; an entry is readable once the response of the
 * request that wrote it has begun.
 */
import { createHash } from 'node:crypto';
import type { ModelFacts } from './models.ts';
import type { Usage } from './prices.ts';
import type { Segment, Ttl } from './segments.ts';

const LOOKBACK_BLOCKS = 20;
const TTL_MS: Readonly<Record<Ttl, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

export type InputUsage = Pick<Usage, 'inputTokens' | 'cacheReadTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens'>;

export type CachePlan = {
  readonly usage: InputUsage;
  /** Contract: called when the response begins; renews what was read and makes readable what was written. */
  readonly commit: () => void;
};

export type PromptCache = {
  plan(model: Pick<ModelFacts, 'id' | 'minCacheTokens'>, segments: readonly Segment[]): CachePlan;
  size(): number;
};

type Position = { readonly key: string; readonly tokens: number; readonly breakpoint: Ttl | null };

/** A position's key is the hash of everything up to and including its block. */
const positionsOf = (model: string, segments: readonly Segment[]): readonly Position[] => {
  let [key, tokens] = [model, 0];
  return segments.map((segment) => {
    key = createHash('sha256').update(key).update('\0').update(segment.text).digest('base64');
    tokens += segment.tokens;
    return { key, tokens, breakpoint: segment.breakpoint };
  });
};

type Entry = { readonly ttl: Ttl; expiresAtMs: number };

export const createPromptCache = (clock: () => number): PromptCache => {
  const entries = new Map<string, Entry>();
  const alive = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    return entry !== undefined && entry.expiresAtMs > clock() ? entry : undefined;
  };
  const keep = ({ key, breakpoint }: Position): void => {
    const ttl = alive(key)?.ttl === '1h' ? '1h' : (breakpoint ?? '5m');
    entries.set(key, { ttl, expiresAtMs: clock() + TTL_MS[ttl] });
  };
  return {
    plan: (model, segments) => {
      const positions = positionsOf(model.id, segments);
      const hit = findHit(positions, (key) => alive(key) !== undefined);
      const marked = positions.filter((at) => at.breakpoint !== null && at.tokens >= model.minCacheTokens);
      const read = positions[hit]?.tokens ?? 0;
      const used = positions.filter((at, index) => index === hit || marked.includes(at));
      return { usage: usageOf(positions, marked, read), commit: () => used.forEach(keep) };
    },
    size: () => [...entries.keys()].filter((key) => alive(key) !== undefined).length,
  };
};

/** Index of the longest readable prefix; -1 when there is none. */
const findHit = (positions: readonly Position[], readable: (key: string) => boolean): number => {
  let best = -1;
  for (const [end, { breakpoint }] of positions.entries()) {
    if (breakpoint === null) continue;
    const start = Math.max(0, end - LOOKBACK_BLOCKS + 1);
    for (let at = end; at >= start && at > best; at--) if (readable(positions[at]?.key ?? '')) best = at;
  }
  return best;
};

const usageOf = (positions: readonly Position[], marked: readonly Position[], read: number): InputUsage => {
  const total = positions.at(-1)?.tokens ?? 0;
  const upTo = (ttl: Ttl): number => Math.max(read, marked.findLast((at) => at.breakpoint === ttl)?.tokens ?? 0);
  const [long, short] = [upTo('1h'), Math.max(upTo('1h'), upTo('5m'))];
  return {
    inputTokens: total - short,
    cacheReadTokens: read,
    cacheWrite1hTokens: long - read,
    cacheWrite5mTokens: short - long,
  };
};
