/** Adds to a history what the commit status announces. Used if the forge shows no summary. */
import type { AnnouncedRun, History } from '../model/history.ts';
import type { Announcement } from '../model/run.ts';
import { type Input, inputIn, mayBeSameInput } from '../model/input.ts';
import { isAnnouncedFor } from './announcement-url.ts';

/**
 * `found`: all announcements for the current head. The largest counts win, so an old status changes nothing. If these
 * are equal, the run in the first status continues, and the others give way.
 */
export const withAnnouncements = (history: History, found: readonly Announcement[], present: Input): History => {
  const newest = found.toSorted((one, other) => other.runs - one.runs || other.attempt - one.attempt)[0];
  if (newest === undefined) return history;
  const running = runningOf(history, newest, present);
  return {
    ...history,
    running: history.running ?? running,
    runsUsed: Math.max(history.runsUsed, newest.runs),
    attempts: Math.max(history.attempts, ...found.map((each) => attemptsOf(history, each, present))),
    supersededInRow: Math.max(history.supersededInRow, newest.superseded),
  };
};

/** An attempt for another input was superseded, so it does not count as failed. */
const attemptsOf = (
  { reviewsDone }: History,
  { review, attempt, replies, ...at }: Announcement,
  present: Input,
): number => {
  if (replies !== undefined || review !== reviewsDone + 1) return 0;
  return isAnnouncedFor(at, present) ? attempt : attempt - 1;
};

const runningOf = ({ reviewsDone, closed }: History, newest: Announcement, present: Input): AnnouncedRun | null => {
  const { run: runId, review, attempt, until, full, replies } = newest;
  const isNext = replies === undefined ? review === reviewsDone + 1 : review >= reviewsDone;
  const isOver = closed.some((each) => mayBeSameInput(each, present));
  if (!isNext || isOver || !isAnnouncedFor(newest, present)) return null;
  const base = { runId, ...inputIn(present), review, attempt, deadlineMs: until * 1000 };
  return replies === undefined ? { ...base, kind: 'review', full } : { ...base, kind: 'reply', scope: replies };
};
