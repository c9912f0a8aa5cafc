import { MAX_ALSO_RULES, Severity, type Stance } from '../../vocabulary/finding.ts';
import { LEDGER_TITLE_LENGTH, type FindingState, type LedgerEntry } from '../model/marker-payload.ts';

export const LEDGER_MAX_FINDINGS = 200;
/** Maximum size of a ledger as JSON in UTF-8, before base64. */
export const LEDGER_MAX_BYTES = 48 * 1024;

export type LedgerMerge =
  | { readonly kind: 'merged'; readonly entries: readonly LedgerEntry[] }
  /** The ledger is larger than a summary can hold, so the change request is handed off. `entries` is still complete. */
  | {
      readonly kind: 'full';
      readonly entries: readonly LedgerEntry[];
      readonly findings: number;
      readonly bytes: number;
    };

/** Cuts a title to the ledger's maximum length, never within a character. */
export const ledgerTitle = (title: string): string => {
  if (title.length <= LEDGER_TITLE_LENGTH) return title;
  return `${title.slice(0, LEDGER_TITLE_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

/** A finding's state only moves up in this order. */
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

const later = <T>(a: T, b: T, rankOf: (of: T) => Rank): T => {
  const ranksA = rankOf(a);
  const ranksB = rankOf(b);
  for (const [index, rankA] of ranksA.entries()) {
    const rankB = ranksB[index];
    if (rankB !== undefined && rankA !== rankB) return rankA > rankB ? a : b;
  }
  return a;
};

const placeRank = (entry: LedgerEntry): Rank => {
  const { review, path, side, line, title, rule, start = line, head = '', again = false, outside = false } = entry;
  return [review, path, side, line, title, rule ?? '', start, head, Number(again), Number(outside)];
};

/** Keeps, for each group of fields, the later of the two values, so the order and the number of merges do not matter. */
const joinEntries = (a: LedgerEntry, b: LedgerEntry): LedgerEntry => {
  const placed = later(a, b, placeRank);
  const { start, head, again, outside } = placed;
  // Once the finding has a thread, it is no longer only listed.
  const listed = a.listed === true && b.listed === true;
  return {
    id: a.id,
    fp: a.fp,
    severity: later(a.severity, b.severity, (severity) => [severityRank(severity)]),
    blocking: a.blocking || b.blocking,
    state: later(a.state, b.state, (state) => [STATE_RANK[state]]),
    count: Math.max(a.count, b.count),
    stance: later(a, b, ({ count, stance }) => [count, STANCE_RANK[stance]]).stance,
    review: placed.review,
    path: placed.path,
    side: placed.side,
    line: placed.line,
    ...(start === undefined ? {} : { start }),
    ...(head === undefined ? {} : { head }),
    ...(again === undefined ? {} : { again }),
    ...(listed ? { listed } : {}),
    ...(outside === undefined ? {} : { outside }),
    ...(a.required === true || b.required === true ? { required: true } : {}),
    title: placed.title,
    rule: placed.rule,
    ...joinAlso(a, b),
  };
};

/** The limit keeps the same rules in any order of merges. */
const joinAlso = (
  { alsoRules: a = [] }: LedgerEntry,
  { alsoRules: b = [] }: LedgerEntry,
): Pick<LedgerEntry, 'alsoRules'> =>
  a.length + b.length === 0 ? {} : { alsoRules: [...new Set([...a, ...b])].toSorted().slice(0, MAX_ALSO_RULES) };

const numberOf = (entry: LedgerEntry): number => Number(entry.id.slice(2));

const byNumber = (a: LedgerEntry, b: LedgerEntry): number =>
  numberOf(a) - numberOf(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) || (a.fp < b.fp ? -1 : a.fp > b.fp ? 1 : 0);

/**
 * Keeps the largest counts, the highest severities and the furthest states of all entries. So an older ledger, which a
 * person or a race may have restored, changes nothing. The key is number and fingerprint: a claim that is raised again
 * after it was resolved is a new finding, and two findings with the same number must both be kept.
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
