import type { ForgeComment } from '../../forge/port-facts.ts';
import { removeBreaks } from '../../text/break-points.ts';
import { stripMarkers } from './marker.ts';
import { hasForeignSignature } from './foreign-signature.ts';
import { findingNumber } from '../../vocabulary/ids.ts';
import { calledFor, handoffsOf } from './handoffs.ts';
import { inputKey } from '../model/input.ts';
import { inputOfMarker, parkedBy } from './input-of-marker.ts';
import { rebuildCounts } from './rebuild-counts.ts';
import { rebuildThreads } from './rebuild-threads.ts';
import { recall } from './last-seen-summary.ts';
import { mergeLedgers } from './merge-ledgers.ts';
import type { SummaryMarker } from '../model/marker-payload.ts';
import { type HistoryInput, isSummary, type OwnMarker, readOwnMarkers, type Summary } from './own-markers.ts';
import type { AnnouncedRun, FixHistory, History, ReviewedInput, SaidReply } from '../model/history.ts';

export const rebuildHistory = (input: HistoryInput): History => {
  const { own: standing, foreign } = readOwnMarkers(input);
  const own = [...standing, ...recall(input, standing)];
  const summaries = inOrder(own.filter(isSummary));
  const summary = summaries.at(-1) ?? null;
  const ledger = mergeLedgers(...summaries.map(({ payload }) => payload.ledger)).entries;
  const threads = rebuildThreads(own, { entries: ledger, placesAt: summary?.payload.placesAt ?? null });
  const reviewed = summaries.flatMap(({ payload }) => payload.reviewed);
  const reviewsDone = Math.max(0, ...reviewed.map(({ review }) => review), ...own.map(completedReviewOf));
  return {
    summary: summary === null ? null : { comment: summary.comment, marker: summary.payload },
    threads,
    replies: repliesOf(standing),
    reviewsDone,
    attempts: Math.max(
      0,
      ...own.filter(({ payload }) => payload.review === reviewsDone + 1).map(({ payload }) => payload.attempt),
    ),
    ...rebuildCounts(own, reviewsDone),
    supersededInRow: summary?.payload.superseded ?? 0,
    running: summary === null ? null : announcedRun(summary.payload),
    reviewed: uniqueInputs(reviewed),
    closed: own.flatMap(({ payload }) =>
      payload.kind === 'handoff' ? calledFor(payload).map(({ input }) => input) : [],
    ),
    handoffs: handoffsOf(own),
    verdict: summary?.payload.verdict ?? null,
    spent: summary?.payload.spent ?? null,
    nextNumber: Math.max(summary?.payload.nextId ?? 0, ...threads.map(({ id }) => findingNumber(id))) + 1,
    fixes: rebuildFixes(own),
    ...rebuildGrants(summaries),
    pauses: Math.max(0, ...own.map(({ payload }) => ('pauses' in payload ? (payload.pauses ?? 0) : 0))),
    outages: Math.max(0, ...summaries.map(({ payload }) => payload.outages ?? 0)),
    parked: parkedBy(summary?.payload),
    disowned: hasForeignSignature(standing, foreign),
  };
};

const repliesOf = (own: readonly OwnMarker[]): readonly SaidReply[] => {
  const markers = new Map<ForgeComment, number>();
  for (const { comment } of own) markers.set(comment, (markers.get(comment) ?? 0) + 1);
  return own.flatMap(({ payload, comment }) =>
    payload.kind === 'reply' && markers.get(comment) === 1
      ? [{ id: payload.id, fingerprint: payload.fp, text: removeBreaks(stripMarkers(comment.body)) }]
      : [],
  );
};

const rebuildGrants = (summaries: readonly Summary[]): Pick<History, 'grants' | 'grantedAtMs'> => ({
  grants: Math.max(0, ...summaries.map(({ payload }) => payload.grants ?? 0)),
  grantedAtMs: (summaries.at(-1)?.payload.grantedAt ?? []).map((atS) => atS * 1000),
});

/** The summary counts a fix before it is ordered. Comments about ended fixes also count, in case the summary was deleted. */
const rebuildFixes = (own: readonly OwnMarker[]): FixHistory => {
  const counts = own.flatMap(({ payload }) => {
    if (payload.kind === 'summary') return [{ used: payload.fixes ?? 0, review: payload.fixReview ?? 0 }];
    return payload.kind === 'fix' ? [{ used: payload.number, review: payload.review }] : [];
  });
  const trees = own.flatMap(({ payload }) => (payload.kind === 'fix' && payload.tree !== null ? [payload.tree] : []));
  return {
    used: Math.max(0, ...counts.map(({ used }) => used)),
    review: Math.max(0, ...counts.map(({ review }) => review)),
    trees: [...new Set(trees)],
  };
};

/** A reply or notice belongs to a review in progress, so it only proves that the previous review is complete. */
const completedReviewOf = ({ payload }: OwnMarker): number =>
  payload.kind === 'summary' && payload.phase === 'posted' ? payload.review : Math.max(0, payload.review - 1);

/**
 * Sorts summaries so that the valid one is last: the one with the most progress. If several have equal progress, it is
 * the one that was edited last, then the oldest. After a crash or a change of the bot's account there may be several
 * summaries.
 */
const inOrder = (summaries: readonly Summary[]): readonly Summary[] =>
  summaries.toReversed().toSorted((one, other) => distance(one, other));

/**
 * The review number is not the first criterion: an announcement has the number of the next review, and a carried
 * verdict has the number of the last review.
 */
const placesOf = ({ payload, comment }: Summary): readonly number[] => [
  payload.runs,
  payload.reviewed.length,
  payload.review,
  payload.fixSpent ?? 0,
  comment.updatedAtMs,
];

const distance = (one: Summary, other: Summary): number => {
  const theirs = placesOf(other);
  return (
    placesOf(one)
      .map((place, index) => place - (theirs[index] ?? 0))
      .find((difference) => difference !== 0) ?? 0
  );
};

const announcedRun = (marker: SummaryMarker): AnnouncedRun | null =>
  marker.phase !== 'reviewing' || marker.until === null
    ? null
    : {
        runId: marker.run,
        ...inputOfMarker(marker),
        review: marker.review,
        attempt: marker.attempt,
        deadlineMs: marker.until * 1000,
        ...kindOfRun(marker),
      };

const kindOfRun = ({ replies, full }: SummaryMarker) => {
  if (replies !== undefined) return { kind: 'reply', scope: replies } as const;
  return { kind: 'review', full } as const;
};

const uniqueInputs = (inputs: readonly ReviewedInput[]): readonly ReviewedInput[] => [
  ...new Map(inputs.map((input) => [`${inputKey(input)} ${input.targetHead} ${input.review}`, input])).values(),
];
