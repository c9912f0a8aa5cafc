import type { ForgeComment } from '../../forge/port-facts.ts';
import type { DeclineMarker, FindingMarker, LedgerEntry } from '../model/marker-payload.ts';
import { type CommitSha, type FindingId, findingNumber } from '../../vocabulary/ids.ts';
import type { OwnMarker } from './own-markers.ts';
import type { Thread } from '../model/history.ts';
import { further, mergeReply } from './merge-thread.ts';

/** The key has number and fingerprint: a claim that is raised again after it was resolved is a new finding. */
const keyOf = ({ id, fp }: { readonly id: FindingId; readonly fp: string }): string => `${id} ${fp}`;

type RememberedThreads = { readonly entries: readonly LedgerEntry[]; readonly placesAt: CommitSha | null };

export const rebuildThreads = (
  own: readonly OwnMarker[],
  { entries, placesAt }: RememberedThreads,
): readonly Thread[] => {
  const threads = new Map<string, Thread>();
  for (const entry of entries) threads.set(keyOf(entry), threadOfLedger(entry, placesAt));
  for (const { payload, comment } of own) {
    if (payload.kind !== 'finding') continue;
    threads.set(keyOf(payload), mergeFinding(threads.get(keyOf(payload)) ?? null, payload, comment));
  }
  for (const { payload } of own) {
    const thread = payload.kind === 'reply' ? threads.get(keyOf(payload)) : undefined;
    if (payload.kind === 'reply' && thread !== undefined) threads.set(keyOf(payload), mergeReply(thread, payload));
  }
  hearAuthors(threads, own);
  dismiss(threads, own);
  return [...threads.values()].toSorted((one, other) => findingNumber(one.id) - findingNumber(other.id));
};

const hearAuthors = (threads: Map<string, Thread>, own: readonly OwnMarker[]): void => {
  for (const { payload } of own) {
    const thread = payload.kind === 'decline' ? threads.get(keyOf(payload)) : undefined;
    if (payload.kind === 'decline' && thread !== undefined && !own.some((other) => isLaterCycle(other, payload)))
      threads.set(keyOf(payload), { ...thread, declined: true });
  }
};

const dismiss = (threads: Map<string, Thread>, own: readonly OwnMarker[]): void => {
  for (const { payload } of own) {
    const dismissed = payload.kind === 'answer' ? payload.dismisses : undefined;
    const thread = dismissed === undefined ? undefined : threads.get(keyOf(dismissed));
    if (dismissed !== undefined && thread !== undefined)
      threads.set(keyOf(dismissed), { ...thread, ...further(thread, { ...thread, state: 'dismissed' }) });
  }
};

const isLaterCycle = ({ payload }: OwnMarker, decline: DeclineMarker): boolean =>
  payload.kind === 'reply' && keyOf(payload) === keyOf(decline) && payload.review > decline.review;

const threadOfLedger = (entry: LedgerEntry, placesAt: CommitSha | null): Thread => ({
  id: entry.id,
  fingerprint: entry.fp,
  severity: entry.severity,
  blocking: entry.blocking,
  state: entry.state,
  count: entry.count,
  stance: entry.stance,
  review: entry.review,
  place: { path: entry.path, side: entry.side, startLine: entry.start ?? entry.line, line: entry.line },
  head: entry.head ?? placesAt,
  ...(entry.head === undefined ? {} : { todayAt: entry.head }),
  ...(entry.again === undefined ? {} : { again: entry.again }),
  ...(entry.listed === undefined ? {} : { listed: entry.listed }),
  ...(entry.outside === undefined ? {} : { outside: entry.outside }),
  ...(entry.required === undefined ? {} : { required: entry.required }),
  title: entry.title,
  rule: entry.rule,
  ...(entry.alsoRules === undefined ? {} : { alsoRules: entry.alsoRules }),
  comment: null,
});

/** If a finding has two comments, the older one is kept. The poster deletes the other one, or edits it to point to the older one. */
const mergeFinding = (known: Thread | null, marker: FindingMarker, comment: ForgeComment): Thread => {
  const found: Thread = {
    id: marker.id,
    fingerprint: marker.fp,
    severity: marker.severity,
    blocking: marker.blocking,
    state: marker.state,
    count: marker.count,
    stance: marker.stance,
    review: marker.review,
    place: { path: marker.path, side: marker.side, startLine: marker.startLine, line: marker.line },
    head: marker.head,
    title: marker.title,
    rule: marker.rule,
    ...(marker.alsoRules === undefined ? {} : { alsoRules: marker.alsoRules }),
    comment,
  };
  if (known === null) return found;
  const { again, outside, required, todayAt } = known;
  return {
    ...found,
    ...further(known, found),
    comment: known.comment ?? comment,
    // If there are two comments, the place in the ledger is the newest.
    today: known.comment === null ? known.place : (known.today ?? known.place),
    ...(todayAt === undefined ? {} : { todayAt }),
    ...(again === undefined ? {} : { again }),
    ...(outside === undefined ? {} : { outside }),
    ...(required === undefined ? {} : { required }),
  };
};
