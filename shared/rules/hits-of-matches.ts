/** Turns the matches of a run into hits, and ends in time even if the code is made for long work. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hitOf, type Prepared, type RuleMatch, type TakenApart, takeApart } from './hit-of-match.ts';
import { createFollowLimit } from './inserted/follow-limit.ts';
import { RulesEngineFailedError, RulesTimeoutError } from './model/errors.ts';
import type { RuleHit, StructuralRule } from './model/rule.ts';

/** For so long nothing else of the process runs, such as the handler of a signal. */
const TURN_MS = 50;

export type HitsWish = {
  readonly matches: readonly RuleMatch[];
  readonly files: readonly Prepared[];
  readonly rules: ReadonlyMap<string, StructuralRule>;
  readonly knownPatterns: Map<string, boolean>;
  readonly endsAtMs: number;
  /** Maximum work for each file; default: that of `createFollowLimit`. */
  readonly maxUnits?: number;
  /** Milliseconds; default: `performance.now`. */
  readonly now?: () => number;
};

/**
 * @throws RulesTimeoutError if the time is over; RulesEngineFailedError if a file needs too much work; the signal's reason
 *   if aborted.
 */
export const hitsOfMatches = async (wish: HitsWish, signal: AbortSignal): Promise<readonly RuleHit[]> => {
  const { matches, files, rules, knownPatterns, endsAtMs, maxUnits, now = () => performance.now() } = wish;
  const byName = new Map(files.map((file) => [file.name, file]));
  const withHits = new Map<string, TakenApart>();
  const check = (): void => {
    if (now() >= endsAtMs) throw new RulesTimeoutError({ matches: matches.length });
  };
  const hits: RuleHit[] = [];
  let turnEndsAtMs = now() + TURN_MS;
  for (const match of matches) {
    if (now() >= turnEndsAtMs) {
      await nextTurn();
      turnEndsAtMs = now() + TURN_MS;
    }
    signal.throwIfAborted();
    check();
    const prepared = byName.get(match.file);
    if (prepared === undefined) throw new RulesEngineFailedError({ reason: 'unknown file' });
    const taken = withHits.get(match.file) ?? takeApart(prepared, knownPatterns, createFollowLimit(check, maxUnits));
    withHits.set(match.file, taken);
    const hit = hitOf(match, taken, rules);
    if (hit !== null) hits.push(hit);
  }
  return hits;
};
