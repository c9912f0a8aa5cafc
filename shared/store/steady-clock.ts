/**
 * The time by which waits are counted: that of Redis, carried on by a monotonic clock. Every process of an installation
 * has the same one, and none notices when the clock of its machine is set.
 */
import type { Redis } from 'ioredis';

export type SteadyClock = {
  /** Epoch ms. */
  readonly nowMs: () => number;
  readonly stop: () => void;
};

export type SteadyClockSettings = {
  /** How often Redis is asked again; the monotonic clocks of two machines drift apart by milliseconds in that time. */
  readonly everyMs: number;
  /** Contract: never goes back; ms. */
  readonly monotonicMs: () => number;
};

const DEFAULTS: SteadyClockSettings = { everyMs: 30_000, monotonicMs: () => performance.now() };

/** An answer that took longer says too little about the moment at which Redis looked at its clock. */
const MAX_ROUND_TRIP_MS = 2_000;

/** Rejects as the first command of `redis` does. Later failures are passed over: the monotonic clock goes on. */
export const startSteadyClock = async (
  redis: Redis,
  { everyMs, monotonicMs }: SteadyClockSettings = DEFAULTS,
): Promise<SteadyClock> => {
  const ask = async (): Promise<{ readonly offsetMs: number; readonly tookMs: number }> => {
    const before = monotonicMs();
    const [seconds, micros] = await redis.time();
    const after = monotonicMs();
    return { offsetMs: Number(seconds) * 1000 + Number(micros) / 1000 - (before + after) / 2, tookMs: after - before };
  };
  let { offsetMs } = await ask();
  const again = (): void => {
    ask().then(
      (answer) => {
        if (answer.tookMs <= MAX_ROUND_TRIP_MS) ({ offsetMs } = answer);
      },
      () => {
        // Without Redis nothing is decided; the next look asks again.
      },
    );
  };
  const timer = setInterval(again, everyMs);
  timer.unref();
  return { nowMs: () => Math.floor(offsetMs + monotonicMs()), stop: () => clearInterval(timer) };
};

/**
 * Gives the clock to everything in this process that asks for `Date.now`: the queue library has no other way to be told
 * the time, and its delayed jobs would stall or fire when the machine's clock is set. Only for a process of its own.
 */
export const useAsProcessClock = ({ nowMs }: Pick<SteadyClock, 'nowMs'>): void => {
  Date.now = nowMs;
};
