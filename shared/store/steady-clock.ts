/**
 * A clock for waits: the time of Redis, continued by a monotonic clock. All processes of an installation share it. Setting
 * the clock of a machine does not change it.
 */
import type { Redis } from 'ioredis';

export type SteadyClock = {
  /** Epoch ms. */
  readonly nowMs: () => number;
  readonly stop: () => void;
};

export type SteadyClockSettings = {
  /**
   * Interval between queries to Redis. During this interval, the monotonic clocks of two machines drift apart only by
   * milliseconds.
   */
  readonly everyMs: number;
  /** A monotonic clock in milliseconds. Contract: never goes back. */
  readonly monotonicMs: () => number;
};

const DEFAULTS: SteadyClockSettings = { everyMs: 30_000, monotonicMs: () => performance.now() };

/** A slower answer of Redis is ignored, because it is too imprecise. */
const MAX_ROUND_TRIP_MS = 2_000;

/** Rejects when the first command of `redis` fails. Later failures are ignored, because the monotonic clock continues. */
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
        // The error is ignored: no decision is made without Redis, and the next query tries again.
      },
    );
  };
  const timer = setInterval(again, everyMs);
  timer.unref();
  return { nowMs: () => Math.floor(offsetMs + monotonicMs()), stop: () => clearInterval(timer) };
};

/**
 * Replaces `Date.now` in this process, because the queue library has no other way to set its clock. With the original
 * `Date.now`, the library's delayed jobs would stall or start early when the machine's clock is set. Only for a
 * dedicated process.
 */
export const useAsProcessClock = ({ nowMs }: Pick<SteadyClock, 'nowMs'>): void => {
  Date.now = nowMs;
};
