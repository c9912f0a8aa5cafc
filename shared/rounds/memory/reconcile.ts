import { type Counts, mergeCounts } from '../model/counts.ts';
import type { History } from '../model/history.ts';
import type { Run } from '../model/run.ts';
import { emptyState, type GuardState } from '../model/state.ts';
import { inputIn, type Input, inputKey, type KnownInput, mayBeSameInput } from '../model/input.ts';
import { RunId } from '../../vocabulary/ids.ts';

/** Adds guard's own counts to the history, because guard's state may be ahead of what the forge shows. */
export const withCounts = (
  history: History,
  state: Counts & Pick<GuardState, 'granted' | 'grantedAtMs' | 'pauses'>,
): History => ({
  ...history,
  ...mergeCounts(history, state),
  grants: Math.max(history.grants, state.granted),
  grantedAtMs: state.granted > history.grants ? state.grantedAtMs : history.grantedAtMs,
  pauses: Math.max(history.pauses, state.pauses),
});

/** Updates guard's state from the forge: counters and sets only grow. If the state was lost, it is rebuilt, including a running run. */
export const reconcile = (stored: GuardState | null, history: History): GuardState => {
  const state = stored ?? rebuilt(history);
  return {
    ...state,
    running: isOnForge(state.running, history) ? null : state.running,
    reviewsDone: Math.max(state.reviewsDone, history.reviewsDone),
    ...mergeCounts(state, history),
    supersededInRow: stored === null ? history.supersededInRow : state.supersededInRow,
    reviewed: knownInputs(state.reviewed, history.reviewed),
    closed: union(state.closed, history.closed),
    outages: Math.max(state.outages, history.outages),
    granted: Math.max(state.granted, history.grants),
    grantedAtMs: state.granted > history.grants ? state.grantedAtMs : [...history.grantedAtMs],
    pauses: Math.max(state.pauses, history.pauses),
    fixesUsed: Math.max(state.fixesUsed, history.fixes.used),
    fixedReview: Math.max(state.fixedReview, history.fixes.review),
  };
};

/**
 * True if the forge shows that a run without a known plan has ended: a report of the poster would not match that run. A run
 * with a plan waits for the report, because the status is written after the summary.
 */
const isOnForge = (running: Run | null, { summary, reviewed }: History): boolean =>
  running !== null &&
  running.phase === 'reviewing' &&
  ((summary?.marker.run === running.runId && summary.marker.phase !== 'reviewing') ||
    (running.elsewhere === true && reviewed.some((known) => isResultOf(known, running))));

const isResultOf = (known: History['reviewed'][number], { review, ...input }: Run): boolean =>
  known.review === review && mayBeSameInput(known, input);

const rebuilt = (history: History): GuardState => ({
  ...emptyState(),
  running: announcedRun(history),
  placed: placedBefore(history),
  ...attemptsOf(history),
  ...parkedOf(history),
});

/** If Redis has lost the time at which the input was parked, an input that waits for a restart is retried at once. */
const parkedOf = ({ parked }: History): Partial<GuardState> => {
  if (parked === null) return {};
  const untilMs = parked.retryAtMs === 0 ? null : parked.retryAtMs;
  const input = inputIn(parked);
  return { closed: [input], parked: { ...input, code: 'OUTAGE', untilMs, sinceMs: 0, again: false } };
};

/** The attempt that was announced last has not failed yet. */
const attemptsOf = ({ running, attempts, parked }: History): Pick<GuardState, 'failedAttempts' | 'failedReplies'> => {
  // An attempt on a parked head is not counted.
  if (running === null)
    return { failedAttempts: parked === null ? attempts : Math.max(0, attempts - 1), failedReplies: 0 };
  return running.kind !== 'reply'
    ? { failedAttempts: running.attempt - 1, failedReplies: 0 }
    : { failedAttempts: attempts, failedReplies: running.attempt - 1 };
};

/** The last known head, so that the loss of Redis alone does not cause a status to be rewritten. */
const placedBefore = ({ running, reviewed, closed }: History): GuardState['placed'] => {
  const last = running ?? reviewed.at(-1) ?? closed.at(-1);
  return last === undefined ? null : { head: last.head, target: last.target };
};

/** The announced run's job may be lost or may still report, so no other run starts before its announced deadline. */
const announcedRun = ({ running }: History): Run | null => {
  const runId = RunId.safeParse(running?.runId);
  if (running === null || !runId.success) return null;
  const { review, attempt, deadlineMs } = running;
  const phase = 'reviewing' as const;
  const base = { runId: runId.data, ...inputIn(running), review, attempt, phase, planId: null, deadlineMs };
  switch (running.kind) {
    case 'review':
      return {
        ...base,
        kind: 'review',
        mustFinish: false,
        ...(running.full === undefined ? {} : { full: running.full }),
      };
    case 'reply':
      return { ...base, kind: 'reply', scope: running.scope };
    default:
      return running satisfies never;
  }
};

/** Entries from the forge have a merge base and replace stored entries. A stored entry counts until the forge shows it. */
const knownInputs = (stored: GuardState['reviewed'], shown: readonly KnownInput[]): GuardState['reviewed'] => {
  const all = [...stored, ...shown].map((known) => ({
    ...inputIn(known),
    ...(known.otherBases === undefined ? {} : { otherBases: [...known.otherBases] }),
  }));
  return [...new Map(all.map((known) => [lookKey(known), known])).values()];
};

const lookKey = ({ head, target, targetHead }: Input): string => `${head} ${targetHead} ${target}`;

const union = (one: readonly Input[], other: readonly Input[]): Input[] => [
  ...new Map([...one, ...other].map((input) => [inputKey(input), inputIn(input)])).values(),
];
