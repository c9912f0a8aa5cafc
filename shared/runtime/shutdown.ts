/** Closes resources in reverse order within one deadline, which is below the ten seconds that orchestrators usually allow. */
import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import type { Logger } from '../logger.ts';

export const DEFAULT_DEADLINE_MS = 9000;

/**
 * Contract: closes one resource. Returns or resolves when the resource has stopped completely. The signal aborts at the
 * deadline; the call must then stop waiting. A rejection is logged, and the remaining resources are still closed.
 */
export type Close = (signal: AbortSignal) => unknown;

export type Shutdown = {
  /** Aborts when the shutdown begins, so that loops and waits stop. */
  readonly begun: AbortSignal;
  readonly onShutdown: (name: string, close: Close) => void;
  /** Closes everything once. Later calls return the same promise. `incomplete`: something failed or timed out. */
  readonly close: () => Promise<'clean' | 'incomplete'>;
};

export type ShutdownOptions = { readonly log: Logger; readonly deadlineMs?: number };

type Step = { readonly name: string; readonly close: Close };

const whenAborted = (signal: AbortSignal): Promise<'late'> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('late');
    else signal.addEventListener('abort', () => resolve('late'), { once: true });
  });

async function closeStep(step: Step, deadline: AbortSignal, log: Logger): Promise<boolean> {
  const closing = async (): Promise<'closed'> => {
    await step.close(deadline);
    return 'closed';
  };
  try {
    const outcome = await Promise.race([closing(), whenAborted(deadline)]);
    if (outcome === 'late') log.error({ step: step.name }, 'not closed before the deadline');
    return outcome === 'closed';
  } catch (err) {
    log.error({ step: step.name, err }, 'closing failed');
    return false;
  }
}

async function closeAll(steps: readonly Step[], deadlineMs: number, log: Logger): Promise<'clean' | 'incomplete'> {
  const deadline = new AbortController();
  // `AbortSignal.timeout` does not keep the process alive, which could then end while a step hangs.
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  let clean = true;
  for (const step of steps.toReversed()) {
    if (!(await closeStep(step, deadline.signal, log))) clean = false;
  }
  clearTimeout(timer);
  return clean ? 'clean' : 'incomplete';
}

export function createShutdown({ log, deadlineMs = DEFAULT_DEADLINE_MS }: ShutdownOptions): Shutdown {
  const begun = new AbortController();
  const steps: Step[] = [];
  let closing: Promise<'clean' | 'incomplete'> | null = null;
  return {
    begun: begun.signal,
    onShutdown: (name, close) => {
      steps.push({ name, close });
    },
    close: () => {
      begun.abort();
      closing ??= closeAll(steps, deadlineMs, log);
      return closing;
    },
  };
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type StopSignal = (typeof STOP_SIGNALS)[number];

/**
 * A terminal sends a signal to the whole process group, and npm forwards it again, so one key press arrives as two
 * signals.
 */
const SAME_REQUEST_MS = 1000;

export type RunOptions = {
  readonly shutdown: Shutdown;
  readonly log: Logger;
  /** Tests replace the source of the signals. */
  readonly signals?: Pick<EventEmitter, 'on' | 'off'>;
  readonly exit?: (code: number) => void;
  readonly nowMs?: () => number;
};

/**
 * Waits for SIGTERM or SIGINT, closes everything, exits, and resolves with the exit code: 0 after a clean shutdown, 1 if
 * something failed or timed out. A second signal, at least a second after the first, exits at once with 128 + its number.
 */
export function runUntilSignal(options: RunOptions): Promise<number> {
  const { shutdown, log, signals = process, exit = (code: number) => process.exit(code) } = options;
  const { nowMs = () => performance.now() } = options;
  return new Promise((resolve) => {
    let firstMs: number | null = null;
    let finished = false;
    const finish = (code: number): void => {
      if (finished) return;
      finished = true;
      resolve(code);
      // Exits before the listeners are removed, because without listeners another signal would kill the process.
      exit(code);
      for (const name of STOP_SIGNALS) signals.off(name, onSignal);
    };
    const onSignal = (name: StopSignal): void => {
      if (firstMs === null) {
        firstMs = nowMs();
        log.info({ signal: name }, 'shutting down');
        void shutdown.close().then((outcome) => finish(outcome === 'clean' ? 0 : 1));
      } else if (nowMs() - firstMs >= SAME_REQUEST_MS) {
        log.warn({ signal: name }, 'second signal, exiting immediately');
        finish(128 + constants.signals[name]);
      }
    };
    for (const name of STOP_SIGNALS) signals.on(name, onSignal);
  });
}
