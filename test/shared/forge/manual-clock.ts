import type { Clock } from '../../../shared/forge/clock.ts';

export type ManualClock = Clock & { readonly slept: readonly number[]; advance(ms: number): void };

/** Sleeping passes at once, moves the time and is recorded. */
export const manualClock = (random: () => number = () => 0.5): ManualClock => {
  let nowMs = Date.UTC(2026, 0, 1);
  const slept: number[] = [];
  return {
    slept,
    advance: (ms) => {
      nowMs += ms;
    },
    nowMs: () => nowMs,
    random,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      slept.push(ms);
      nowMs += ms;
    },
  };
};
