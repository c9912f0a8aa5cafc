import { setTimeout as delay } from 'node:timers/promises';

export type AgentClock = {
  /** Monotonic clock, for measuring durations. */
  readonly nowMs: () => number;
  /** Uniform in [0, 1); only for retry jitter. */
  readonly random: () => number;
  /** Contract: rejects as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const createAgentClock = (random: () => number): AgentClock => ({
  nowMs: () => performance.now(),
  random,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
});
