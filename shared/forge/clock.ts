import { setTimeout as delay } from 'node:timers/promises';

export type Clock = {
  readonly nowMs: () => number;
  /** Returns a number that is uniformly distributed in [0, 1). */
  readonly random: () => number;
  /** Contract: rejects as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};
