/** The short memory of every finding in the summary's marker: it outlives deleted comments. */
import { LEDGER_MAX_FINDINGS, ledgerTitle, mergeLedgers } from '../text/ledger.ts';
import type { LedgerEntry } from '../text/marker-payload.ts';
import type { ReviewDraft } from './draft.ts';
import type { Accepted, GateResult, Handled } from './gate.ts';
import type { History, Thread } from './history.ts';

export type Ledger = {
  readonly entries: LedgerEntry[];
  /** It can hold no more: the change request is handed off. */
  readonly full: boolean;
};

export const ledgerOf = (history: History): LedgerEntry[] => fit(history.threads.map(entryOf)).entries;

export const ledgerAfter = (
  history: History,
  draft: Pick<ReviewDraft, 'round'>,
  gated: Pick<GateResult, 'handled' | 'accepted'> & Partial<Pick<GateResult, 'standing'>>,
): Ledger => {
  const standing = new Map(gated.standing?.map((thread) => [`${thread.id} ${thread.fingerprint}`, thread]));
  const threads = history.threads.map((thread) => standing.get(`${thread.id} ${thread.fingerprint}`) ?? thread);
  const handled = new Map(gated.handled.map((each) => [each.thread.id, each]));
  const fresh = gated.accepted.map((each) => entryOfAccepted(each, draft.round));
  return fit([...threads.map((thread) => entryAfter(thread, handled.get(thread.id))), ...fresh]);
};

const isClosed = ({ state }: LedgerEntry): boolean => state === 'resolved' || state === 'dismissed';

/** Closed ones go first: an open thread that is forgotten would be argued anew. */
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
  round: thread.round,
  path: thread.place.path,
  side: thread.place.side,
  line: thread.place.line,
  title: ledgerTitle(thread.title),
  rule: thread.rule,
});

const entryAfter = (thread: Thread, handled: Handled | undefined): LedgerEntry =>
  handled === undefined ? entryOf(thread) : { ...entryOf(thread), ...progressOf(handled) };

const progressOf = ({ next }: Handled): Pick<LedgerEntry, 'state' | 'count' | 'stance' | 'severity'> => ({
  state: next.state,
  count: next.count,
  stance: next.stance,
  severity: next.severity,
});

const entryOfAccepted = ({ id, finding, blocking }: Accepted, round: number): LedgerEntry => ({
  id,
  fp: finding.fingerprint,
  severity: finding.claim.severity,
  blocking,
  state: 'open',
  count: 0,
  stance: 'seeks_change',
  round,
  path: finding.claim.path,
  side: finding.claim.side,
  line: finding.claim.line,
  title: ledgerTitle(finding.claim.title),
  rule: finding.claim.rule,
});
