import { timeLimit } from '../../../shared/time-limit.ts';

const LONGEST_MS = 3_600_000;

/** The signal aborts on SIGINT, on SIGTERM, and after an hour or `longestMs`. */
export const untilInterrupted = async <Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  longestMs = LONGEST_MS,
): Promise<Value> => {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(new Error('interrupted'));
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  try {
    return await work(timeLimit(longestMs, leaving.signal));
  } finally {
    process.off('SIGINT', leave);
    process.off('SIGTERM', leave);
  }
};
