/** Restarts a process, with growing pauses, until everything shuts down or the process has ended too often. */
import { setTimeout as delay } from 'node:timers/promises';

/** `how`: a phrase such as "was killed by SIGKILL". `signal`: the signal that killed the process, if one did. */
export type Exit = { readonly code: number; readonly how: string; readonly signal?: NodeJS.Signals };

/** Contract: `gone` eventually resolves; `stop` requests the end once and does not wait. */
export type Running = { readonly gone: Promise<Exit>; readonly stop: (signal: NodeJS.Signals) => void };

/** Contract: `start` never rejects; a process that cannot be started counts as one that ended. */
export type Supervised = { readonly name: string; readonly start: () => Promise<Running> };

export type KeepOptions = {
  /** Aborts when everything shuts down. */
  readonly leaving: AbortSignal;
  /** Receives one sentence for each unexpected end. */
  readonly say: (text: string) => void;
  readonly nowMs: () => number;
  /** Resolves after `ms` milliseconds, or when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** After running this long a process counts as healthy, and the count starts again. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const MOST_IN_A_ROW = 6;

/** The exit code of a process with a wrong configuration, which would end in the same way after a restart. */
const WRONG_CONFIGURATION = 2;

export const pauseMs = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);

export const CLOCK: Pick<KeepOptions, 'nowMs' | 'pause'> = {
  nowMs: () => performance.now(),
  pause: async (ms, signal) => {
    try {
      await delay(ms, undefined, { signal });
    } catch {
      // The shutdown has begun.
    }
  },
};

/** The exit code of the last process; never 0 unless it was asked to stop. */
export const keepRunning = async (
  { name, start }: Supervised,
  { leaving, say, nowMs, pause }: KeepOptions,
): Promise<number> => {
  let failures = 0;
  while (!leaving.aborted) {
    const startedAt = nowMs();
    const running = await start();
    const exit = await untilGone(running, leaving);
    const { code, how } = exit;
    if (leaving.aborted) return isAsked(exit) ? 0 : code;
    failures = nowMs() - startedAt >= STEADY_MS ? 1 : failures + 1;
    const end = endFor(code, failures);
    if (end !== null) {
      say(`${name} ${how}; ${end}, so all services stop`);
      return code === 0 ? 1 : code;
    }
    say(`${name} ${how}; it is restarted in ${pauseMs(failures) / 1000} s`);
    await pause(pauseMs(failures), leaving);
  }
  return 0;
};

/** A process that is still starting does not handle the signals yet, so the signal kills it. */
const isAsked = ({ signal }: Exit): boolean => signal === 'SIGTERM' || signal === 'SIGINT';

const untilGone = async ({ gone, stop }: Running, leaving: AbortSignal): Promise<Exit> => {
  const leave = (): void => stop('SIGTERM');
  if (leaving.aborted) leave();
  leaving.addEventListener('abort', leave, { once: true });
  try {
    return await gone;
  } finally {
    leaving.removeEventListener('abort', leave);
  }
};

const endFor = (code: number, failures: number): string | null => {
  if (code === WRONG_CONFIGURATION) return 'it would exit again for the same reason';
  return failures >= MOST_IN_A_ROW ? `it has exited ${failures} times in a row` : null;
};
