/** The ledger in the summary's marker has a short entry for every finding, and it survives deleted comments. */
import { LEDGER_MAX_FINDINGS, ledgerTitle, mergeLedgers } from './merge-ledgers.ts';
import type { LedgerEntry } from '../model/marker-payload.ts';
import type { ReviewDraft } from '../model/draft.ts';
import type { Accepted, GateResult, Handled, Unverified } from '../model/gate-result.ts';
import { type History, placeToday, type Thread } from '../model/history.ts';
import { relationAfter } from '../model/relation.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Place } from '../../vocabulary/finding.ts';

export type Ledger = {
  readonly entries: LedgerEntry[];
  /** True if the findings do not fit; then the change request is handed off. */
  readonly full: boolean;
};

export const ledgerOf = (history: History): LedgerEntry[] => fit(history.threads.map(entryOf)).entries;

type LedgerDraft = Pick<ReviewDraft, 'review'> & Partial<Pick<ReviewDraft, 'moved' | 'resolvable'>>;

type LedgerGate = Pick<GateResult, 'handled' | 'accepted'> &
  Partial<Pick<GateResult, 'standing' | 'unverified' | 'reopened'>>;

/** Returns the ledger after a review, with the places at the review's head. A draft without places leaves them unchanged. */
export const ledgerAfter = (history: History, draft: LedgerDraft, gated: LedgerGate): Ledger => {
  const standing = new Map(gated.standing?.map((thread) => [`${thread.id} ${thread.fingerprint}`, thread]));
  const threads = history.threads.map((thread) => standing.get(`${thread.id} ${thread.fingerprint}`) ?? thread);
  const handled = new Map(gated.handled.map((each) => [each.thread.id, each]));
  const fresh = [
    ...gated.accepted.map((each) => ({ ...entryOfAccepted(each, draft.review), ...listedIn(each) })),
    ...(gated.unverified ?? []).map((each) => entryOfUnverified(each, draft.review)),
  ];
  const known = threads.map((thread) => {
    const {
      start: _start,
      head: _head,
      again: _again,
      outside: _outside,
      ...entry
    } = entryAfter(thread, handled.get(thread.id));
    const place = placeAfter(thread, { history, draft });
    return { ...entry, ...place, ...againAfter(thread, { draft, gated }), ...relationAfter(thread, draft.moved ?? []) };
  });
  return fit([...known, ...fresh]);
};

export const placesAfter = (
  history: Pick<History, 'summary' | 'threads'>,
  { head, moved }: Pick<ReviewDraft, 'head' | 'moved'>,
): CommitSha | undefined =>
  moved.length > 0 || history.threads.length === 0 ? head : history.summary?.marker.placesAt;

type Followed = { readonly history: History; readonly draft: LedgerDraft };
type EntryPlace = Pick<LedgerEntry, 'path' | 'side' | 'line' | 'start' | 'head'>;

/** A thread that is closed, or whose lines are gone, keeps its old place and the head that its lines belong to. */
const placeAfter = (thread: Thread, { history, draft: { moved = [] } }: Followed): EntryPlace => {
  if (moved.length === 0) return placeOf(thread);
  const now = moved.find(({ findingId }) => findingId === thread.id);
  const followed = now?.gone === true ? null : (now?.place ?? null);
  if (followed !== null && thread.state !== 'resolved' && thread.state !== 'dismissed') return placeIn(followed);
  const before = thread.today === undefined ? thread.head : history.summary?.marker.placesAt;
  const head = thread.todayAt ?? before ?? null;
  return { ...placeIn(placeToday(thread)), ...(head === null ? {} : { head }) };
};

const placeOf = (thread: Thread): EntryPlace => {
  const { today, todayAt, comment } = thread;
  const head = todayAt ?? (today === undefined && comment !== null ? thread.head : null);
  return { ...placeIn(placeToday(thread)), ...(head === null ? {} : { head }) };
};

const placeIn = ({ path, side, startLine, line }: Place): Pick<LedgerEntry, 'path' | 'side' | 'line' | 'start'> => ({
  path,
  side,
  line,
  ...(startLine === line ? {} : { start: startLine }),
});

type Reviewed = { readonly draft: LedgerDraft; readonly gated: LedgerGate };

/** A thread stays marked as raised again until its lines change. A rule checks these lines in every review. */
const againAfter = (
  { id, again, rule, state }: Thread,
  { draft: { moved = [], resolvable = [] }, gated: { reopened = [] } }: Reviewed,
): Pick<LedgerEntry, 'again'> => {
  if (state !== 'resolved') return {};
  if (reopened.includes(id)) return { again: true };
  const isOver = moved.length > 0 && (rule !== null || resolvable.some(({ findingId }) => findingId === id));
  return again === true && !isOver ? { again } : {};
};

const isClosed = ({ state }: LedgerEntry): boolean => state === 'resolved' || state === 'dismissed';

/** If not all entries fit, closed threads are dropped first: if an open thread were forgotten, it would be discussed again. */
const fit = (all: readonly LedgerEntry[]): Ledger => {
  const entries = [...mergeLedgers(all).entries];
  const full = mergeLedgers(entries).kind === 'full';
  entries.sort((one, other) => Number(isClosed(one)) - Number(isClosed(other)));
  if (entries.length > LEDGER_MAX_FINDINGS) entries.length = LEDGER_MAX_FINDINGS;
  while (mergeLedgers(entries).kind === 'full') entries.pop();
  return { entries, full };
};

const entryOf = (thread: Thread): LedgerEntry => ({
  id: thread.id,
  fp: thread.fingerprint,
  severity: thread.severity,
  blocking: thread.blocking,
  state: thread.state,
  count: thread.count,
  stance: thread.stance,
  review: thread.review,
  ...placeOf(thread),
  ...(thread.again === undefined ? {} : { again: thread.again }),
  ...(thread.listed === undefined ? {} : { listed: thread.listed }),
  ...(thread.outside === undefined ? {} : { outside: thread.outside }),
  ...(thread.required === undefined ? {} : { required: thread.required }),
  title: ledgerTitle(thread.title),
  rule: thread.rule,
  ...alsoRulesOf(thread),
});

/** Absent if no other rule reports the same. */
const alsoRulesOf = ({ alsoRules }: Pick<LedgerEntry, 'alsoRules'>): Pick<LedgerEntry, 'alsoRules'> =>
  alsoRules === undefined ? {} : { alsoRules };

const entryAfter = (thread: Thread, handled: Handled | undefined): LedgerEntry =>
  handled === undefined ? entryOf(thread) : { ...entryOf(thread), ...progressOf(handled) };

const progressOf = ({ next }: Handled): Pick<LedgerEntry, 'state' | 'count' | 'stance' | 'severity'> => ({
  state: next.state,
  count: next.count,
  stance: next.stance,
  severity: next.severity,
});

/** A finding that cannot be posted inline never gets a thread, so it is not kept for a later thread. */
const listedIn = ({ ownThread, finding }: Accepted): Pick<LedgerEntry, 'listed'> =>
  ownThread || finding.position === null ? {} : { listed: true };

type Numbered = Pick<Accepted, 'id' | 'finding' | 'blocking'>;

const entryOfAccepted = ({ id, finding, blocking }: Numbered, review: number): LedgerEntry => ({
  id,
  fp: finding.fingerprint,
  severity: finding.claim.severity,
  blocking,
  state: 'open',
  count: 0,
  stance: 'seeks_change',
  review,
  ...placeIn(finding.claim),
  title: ledgerTitle(finding.claim.title),
  rule: finding.claim.rule,
  ...alsoRulesOf(finding.claim),
  ...relationOf(finding.claim),
});

const relationOf = ({ relation }: Numbered['finding']['claim']): Pick<LedgerEntry, 'outside' | 'required'> => {
  if (relation === 'outside_diff') return { outside: true };
  return relation === 'required_by_current_diff' ? { required: true } : {};
};

const entryOfUnverified = ({ id, finding }: Unverified, review: number): LedgerEntry => ({
  ...entryOfAccepted({ id, finding, blocking: false }, review),
  state: 'unverified',
});
