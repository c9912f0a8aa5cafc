import { setTimeout as delay } from 'node:timers/promises';

/** Time as the loop needs it; tests bring their own. */
export type AgentClock = {
  /** Monotonic, for measuring. */
  readonly nowMs: () => number;
  /** Uniform in [0, 1), only for spreading retries. */
  readonly random: () => number;
  /** Contract: rejects as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const createAgentClock = (random: () => number): AgentClock => ({
  nowMs: () => performance.now(),
  random,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
});
