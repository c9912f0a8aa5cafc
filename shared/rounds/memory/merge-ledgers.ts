import { Severity, type Stance } from '../../vocabulary/finding.ts';
import { LEDGER_TITLE_LENGTH, type FindingState, type LedgerEntry } from '../model/marker-payload.ts';

export const LEDGER_MAX_FINDINGS = 200;
/** As JSON in UTF-8, before base64. */
export const LEDGER_MAX_BYTES = 48 * 1024;

export type LedgerMerge =
  | { readonly kind: 'merged'; readonly entries: readonly LedgerEntry[] }
  /** More than a summary can hold: the change request is handed off. `entries` is all the same complete. */
  | {
      readonly kind: 'full';
      readonly entries: readonly LedgerEntry[];
      readonly findings: number;
      readonly bytes: number;
    };

/** A title as the ledger keeps it. Never splits a character. */
export const ledgerTitle = (title: string): string => {
  if (title.length <= LEDGER_TITLE_LENGTH) return title;
  return `${title.slice(0, LEDGER_TITLE_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

/** How far a state is from where all begin; states only move up. */
const STATE_RANK: Readonly<Record<FindingState, number>> = {
  unverified: 0,
  open: 1,
  vetoed: 2,
  escalated: 3,
  resolved: 4,
  dismissed: 5,
};
const STANCE_RANK: Readonly<Record<Stance, number>> = { accepts: 0, seeks_change: 1 };
const severityRank = (severity: Severity): number => -Severity.options.indexOf(severity);

type Rank = readonly (number | string)[];

/** The later of two by their ranks, compared from left to right. */
const later = <T>(a: T, b: T, rankOf: (of: T) => Rank): T => {
  const ranksA = rankOf(a);
  const ranksB = rankOf(b);
  for (const [index, rankA] of ranksA.entries()) {
    const rankB = ranksB[index];
    if (rankB !== undefined && rankA !== rankB) return rankA > rankB ? a : b;
  }
  return a;
};

/** Each group of fields takes its own maximum, so that the order and the number of merges do not matter. */
const joinEntries = (a: LedgerEntry, b: LedgerEntry): LedgerEntry => {
  const placed = later(a, b, ({ round, path, side, line, title, rule, start = line, head = '', again = false }) => [
    round,
    path,
    side,
    line,
    title,
    rule ?? '',
    start,
    head,
    Number(again),
  ]);
  const { start, head, again } = placed;
  return {
    id: a.id,
    fp: a.fp,
    severity: later(a.severity, b.severity, (severity) => [severityRank(severity)]),
    blocking: a.blocking || b.blocking,
    state: later(a.state, b.state, (state) => [STATE_RANK[state]]),
    count: Math.max(a.count, b.count),
    stance: later(a, b, ({ count, stance }) => [count, STANCE_RANK[stance]]).stance,
    round: placed.round,
    path: placed.path,
    side: placed.side,
    line: placed.line,
    ...(start === undefined ? {} : { start }),
    ...(head === undefined ? {} : { head }),
    ...(again === undefined ? {} : { again }),
    title: placed.title,
    rule: placed.rule,
  };
};

const numberOf = (entry: LedgerEntry): number => Number(entry.id.slice(2));

const byNumber = (a: LedgerEntry, b: LedgerEntry): number =>
  numberOf(a) - numberOf(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) || (a.fp < b.fp ? -1 : a.fp > b.fp ? 1 : 0);

/**
 * Merges what several markers say about the findings, upwards only: largest counts, highest severities, furthest
 * states, union of fingerprints. So an older ledger, restored by hand or by a race, gains nothing.
 *
 * The key is number and fingerprint together: the same claim raised again after it was resolved is a finding of its
 * own and must not be closed by the old one; and a number given out twice must not swallow a finding.
 */
export const mergeLedgers = (...ledgers: readonly (readonly LedgerEntry[])[]): LedgerMerge => {
  const merged = new Map<string, LedgerEntry>();
  for (const entry of ledgers.flat()) {
    const key = `${entry.id} ${entry.fp}`;
    const known = merged.get(key);
    merged.set(key, known === undefined ? entry : joinEntries(known, entry));
  }
  const entries = [...merged.values()].toSorted(byNumber);
  const bytes = Buffer.byteLength(JSON.stringify(entries), 'utf8');
  return entries.length > LEDGER_MAX_FINDINGS || bytes > LEDGER_MAX_BYTES
    ? { kind: 'full', entries, findings: entries.length, bytes }
    : { kind: 'merged', entries };
};
