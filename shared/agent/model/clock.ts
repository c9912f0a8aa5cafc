import { setTimeout as delay } from 'node:timers/promises';

export type AgentClock = {
  /** A monotonic clock, for measuring durations. */
  readonly nowMs: () => number;
  /** Returns a number uniformly distributed in [0, 1). Used only for retry jitter. */
  readonly random: () => number;
  /** Contract: rejects as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const createAgentClock = (random: () => number): AgentClock => ({
  nowMs: () => performance.now(),
  random,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
});
