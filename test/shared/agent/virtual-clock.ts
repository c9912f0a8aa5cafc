import type { AgentClock } from '../../../shared/agent/model/clock.ts';

export type VirtualClock = AgentClock & {
  /** Sleeps that passed at once. */
  readonly slept: readonly number[];
  advance(ms: number): void;
};

type Timer = { readonly atMs: number; readonly wake: () => void };

/** Short sleeps (retries) pass at once and move the time; long ones (limits, watches) wait until time is moved. */
export const virtualClock = (random: () => number = () => 0.5): VirtualClock => {
  let nowMs = 1_000;
  let timers: Timer[] = [];
  const slept: number[] = [];
  const advance = (ms: number): void => {
    nowMs += ms;
    const due = timers.filter(({ atMs }) => atMs <= nowMs).toSorted((one, other) => one.atMs - other.atMs);
    timers = timers.filter(({ atMs }) => atMs > nowMs);
    for (const { wake } of due) wake();
  };
  return {
    slept,
    advance,
    nowMs: () => nowMs,
    random,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      if (ms < 60_000) {
        slept.push(ms);
        advance(ms);
        return;
      }
      await new Promise<void>((resolve, reject) => {
        timers.push({ atMs: nowMs + ms, wake: resolve });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  };
};
