/** One part of a check, with its own time limit: if it fails or is too slow, only its remaining findings are missing. */
import { AppError } from '../../../shared/errors.ts';
import { isTimeout, withTimeLimit } from '../../../shared/time-limit.ts';
import { orGivenUp, type Seen, warn } from './check.ts';

/** Contract: reports each finding at once, and obeys the signal. */
export type Looks = (note: (seen: readonly Seen[]) => void, signal: AbortSignal) => Promise<void>;

type Part = {
  /** What is looked at, for the text. */
  readonly name: string;
  readonly ms: number;
  /** Contract: describes a failed call. */
  readonly failed: (error: AppError) => Seen;
};

const SLOW_FIX =
  'run the command again when the forge is less busy; if it stays slow, look at its load and at the network';

/** The forge has answered before, so its address is correct. */
const BROKEN_FIX = 'run the command again; if it fails again, look at the logs of the forge';

export const lookWithin = async (
  { name, ms, failed }: Part,
  looks: Looks,
  signal: AbortSignal,
): Promise<readonly Seen[]> => {
  const found: Seen[] = [];
  const note = (seen: readonly Seen[]): void => void found.push(...seen);
  try {
    await withTimeLimit({ ms, signal }, async (limited) => orGivenUp(looks(note, limited), limited));
    return found;
  } catch (error) {
    signal.throwIfAborted();
    const seen = [...found];
    if (isTimeout(error)) {
      return [
        ...seen,
        warn(`${name}: not checked completely, because the forge needs more than ${ms / 1000} s`, SLOW_FIX),
      ];
    }
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'FORGE_UNAVAILABLE') {
      return [...seen, warn(`${name}: not checked completely: ${error.message}`, BROKEN_FIX)];
    }
    const { level, text, fix } = failed(error);
    return [...seen, { level, text: `${name}: ${text}`, fix }];
  }
};
