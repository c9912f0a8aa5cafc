/**
 * What has happened on a change request, read from the bot's own signed markers. The forge is the memory: this is all
 * that is needed to go on after Redis was lost. State is merged upwards only, so restoring an older edit gains nothing.
 */
import type { ForgeComment } from '../../forge/port.ts';
import { isDisowned } from '../memory/disowned.ts';
import { findingNumber } from '../finding-id.ts';
import { calledFor, type HandedOver, handoffsOf } from '../memory/handed-over.ts';
import { type Input, inputKey, type KnownInput } from './input.ts';
import { inputOfMarker, parkedBy } from './input-of-marker.ts';
import { rebuildThreads } from '../memory/rebuild-threads.ts';
import { recall, type RememberedSummary } from '../memory/remembered.ts';
import { mergeLedgers } from '../memory/merge-ledgers.ts';
import type { MarkerPayload, RememberedCommand, SummaryMarker, TalkScope } from './marker-payload.ts';
import { readMarkers } from '../memory/marker.ts';
import type { ThreadProgress } from './thread.ts';
import type { CommitSha, FindingId, Place, Spent, Verdict } from '../vocabulary.ts';

/** One finding ever raised, with its place at `head`. */
export type Thread = ThreadProgress & {
  readonly id: FindingId;
  readonly fingerprint: string;
  readonly blocking: boolean;
  /** The round that raised it. */
  readonly round: number;
  readonly place: Place;
  readonly head: CommitSha | null;
  readonly title: string;
  readonly rule: string | null;
  /** Its own inline comment; null when it was only listed, or somebody deleted it. */
  readonly comment: ForgeComment | null;
  /** The head at which it was handed to a human; absent: never, or nobody knows any more. */
  readonly settledAt?: CommitSha;
  /** The head of its last cycle. Absent: it was opened at `head` and not handled since. */
  readonly cycledAt?: CommitSha;
  /** Its author service has told since that cycle that it leaves the finding as it is. Absent: no. */
  readonly declined?: true;
  /** Where it was found last. Absent: where it was raised. */
  readonly today?: Place;
  /** The head that this counts in. Absent: the last reviewed one. */
  readonly todayAt?: CommitSha;
  /** Closed, and raised again since in a way that opens no thread. Absent: no. */
  readonly again?: true;
};

/** Where a reader finds it now. */
export const placeToday = ({ place, today }: Pick<Thread, 'place' | 'today'>): Place => today ?? place;

export type ReviewedInput = KnownInput & {
  readonly base: CommitSha;
  readonly fingerprint: string;
  readonly round: number;
  readonly verdict: Verdict;
  /** False when files were left out. */
  readonly complete?: boolean | undefined;
  readonly seenBy?: 'model' | 'rules' | undefined;
  /** True: nothing but its threads kept it from a pass. */
  readonly clear?: boolean | undefined;
  /** True: nothing but its CI kept it from a pass. */
  readonly onlyCi?: true | undefined;
  /** Hash of what its target branch and the operator asked of the code. */
  readonly rules: string;
  /** True: nothing but validations, alone or with its CI, kept it from a pass. */
  readonly onlyChecks?: true | undefined;
  /** True: a budget of the reviewer was used up before the review came to its end. */
  readonly exceeded?: true | undefined;
  /** The operator's commands that were run on it. */
  readonly commands?: readonly RememberedCommand[] | undefined;
};

export type AnnouncedRun = Input & {
  readonly runId: string;
  readonly round: number;
  readonly attempt: number;
  /** Epoch ms. */
  readonly deadlineMs: number;
  readonly talk?: TalkScope | undefined;
  readonly full?: true | undefined;
  readonly onlyCarry?: true | undefined;
};

export type FixHistory = {
  readonly used: number;
  /** The last round that a fix was ordered for; 0: none. */
  readonly round: number;
  /** Trees that fixes have pushed. */
  readonly trees: readonly string[];
};

export type History = {
  readonly summary: { readonly comment: ForgeComment; readonly marker: SummaryMarker } | null;
  readonly threads: readonly Thread[];
  readonly roundsDone: number;
  /** Of the round in progress: announced attempts, the running one included. */
  readonly attempts: number;
  readonly runsUsed: number;
  readonly supersededInRow: number;
  readonly running: AnnouncedRun | null;
  readonly reviewed: readonly ReviewedInput[];
  /** Inputs that got a last word without a round. */
  readonly closed: readonly Input[];
  /** Oldest first, one per input. */
  readonly handoffs: readonly HandedOver[];
  readonly verdict: Verdict | null;
  readonly spent: Spent | null;
  /** The first unused display number. */
  readonly nextNumber: number;
  readonly fixes: FixHistory;
  /** Rounds granted beyond the cap. */
  readonly grants: number;
  /** How often it was paused and resumed; odd while paused. */
  readonly pauses: number;
  /** How often heads were closed because something was away, and the one that waits for that now. */
  readonly outages: number;
  readonly parked: (Input & { readonly retryAtMs: number }) | null;
  /** A good signature under somebody else's name: stop and call the operator instead of starting over. */
  readonly disowned: boolean;
};

export type HistoryInput = {
  readonly comments: readonly ForgeComment[];
  /** `changeRequestKey`: markers of another change request do not count. */
  readonly key: string;
  readonly botIds: ReadonlySet<number>;
  readonly secrets: readonly string[];
  /** As it was seen last; absent or null for never. Somebody may have deleted it since, or restored an older edit. */
  readonly remembered?: RememberedSummary | null;
};

export type OwnMarker = { readonly payload: MarkerPayload; readonly comment: ForgeComment };

export const readOwnMarkers = (
  input: HistoryInput,
): { readonly own: readonly OwnMarker[]; readonly foreign: boolean } => {
  const own: OwnMarker[] = [];
  let foreign = false;
  for (const comment of input.comments) {
    for (const reading of readMarkers(comment.body, input.secrets)) {
      if (reading.kind !== 'valid' || reading.payload.cr !== input.key) continue;
      if (comment.author !== null && input.botIds.has(comment.author.id))
        own.push({ payload: reading.payload, comment });
      else foreign = true;
    }
  }
  return { own, foreign };
};

export const rebuildHistory = (input: HistoryInput): History => {
  const { own: standing, foreign } = readOwnMarkers(input);
  const own = [...standing, ...recall(input, standing)];
  const summaries = inOrder(own.filter(isSummary));
  const summary = summaries.at(-1) ?? null;
  const ledger = mergeLedgers(...summaries.map(({ payload }) => payload.ledger)).entries;
  const threads = rebuildThreads(own, { entries: ledger, placesAt: summary?.payload.placesAt ?? null });
  const reviewed = summaries.flatMap(({ payload }) => payload.reviewed);
  const roundsDone = Math.max(0, ...reviewed.map(({ round }) => round), ...own.map(completedRoundOf));
  return {
    summary: summary === null ? null : { comment: summary.comment, marker: summary.payload },
    threads,
    roundsDone,
    attempts: Math.max(
      0,
      ...own.filter(({ payload }) => payload.round === roundsDone + 1).map(({ payload }) => payload.attempt),
    ),
    runsUsed: Math.max(0, ...summaries.map(({ payload }) => payload.runs)),
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
    grants: Math.max(0, ...summaries.map(({ payload }) => payload.grants ?? 0)),
    pauses: Math.max(0, ...own.map(({ payload }) => ('pauses' in payload ? (payload.pauses ?? 0) : 0))),
    outages: Math.max(0, ...summaries.map(({ payload }) => payload.outages ?? 0)),
    parked: parkedBy(summary?.payload),
    disowned: isDisowned(standing, foreign),
  };
};

/** The summary counts an order before it is given; the notes of ended fixes count also after the summary is gone. */
const rebuildFixes = (own: readonly OwnMarker[]): FixHistory => {
  const counts = own.flatMap(({ payload }) => {
    if (payload.kind === 'summary') return [{ used: payload.fixes ?? 0, round: payload.fixRound ?? 0 }];
    return payload.kind === 'fix' ? [{ used: payload.number, round: payload.round }] : [];
  });
  const trees = own.flatMap(({ payload }) => (payload.kind === 'fix' && payload.tree !== null ? [payload.tree] : []));
  return {
    used: Math.max(0, ...counts.map(({ used }) => used)),
    round: Math.max(0, ...counts.map(({ round }) => round)),
    trees: [...new Set(trees)],
  };
};

/** Replies and notices are written while a round is posted and say nothing about its completion. */
const completedRoundOf = ({ payload }: OwnMarker): number =>
  payload.kind === 'summary' && payload.phase === 'posted' ? payload.round : Math.max(0, payload.round - 1);

export type Summary = OwnMarker & { readonly payload: SummaryMarker };

export const isSummary = (marker: OwnMarker): marker is Summary => marker.payload.kind === 'summary';

/**
 * Several summaries are left by a crash, or by an account that the bot had before. The furthest one is true, of those the
 * one that was written last, and the oldest comment among equals: that one comes last.
 */
const inOrder = (summaries: readonly Summary[]): readonly Summary[] =>
  summaries.toReversed().toSorted((one, other) => distance(one, other));

const placesOf = ({ payload, comment }: Summary): readonly number[] => [
  payload.round,
  payload.runs,
  payload.reviewed.length,
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
        round: marker.round,
        attempt: marker.attempt,
        deadlineMs: marker.until * 1000,
        talk: marker.talk,
        full: marker.full,
        onlyCarry: marker.onlyCarry,
      };

const uniqueInputs = (inputs: readonly ReviewedInput[]): readonly ReviewedInput[] => [
  ...new Map(inputs.map((input) => [`${inputKey(input)} ${input.targetHead} ${input.round}`, input])).values(),
];
