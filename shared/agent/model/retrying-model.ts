/** Retries transient failures a few times within the wall time, after the delay that the provider names plus jitter. */
import { backoffMs } from '../../forge/retry.ts';
import type { AgentClock } from './clock.ts';
import type { Model } from './model.ts';
import { ModelError } from './model-errors.ts';

export type ModelRetryPolicy = {
  /** Number of attempts, including the first call. */
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** Longest provider delay that the call waits out itself; for a longer delay the job goes back to the queue. */
  readonly maxRetryAfterMs: number;
};

export const DEFAULT_MODEL_RETRY: ModelRetryPolicy = {
  attempts: 4,
  baseMs: 1_000,
  capMs: 20_000,
  maxRetryAfterMs: 60_000,
};

export type ModelRetryDecision = { readonly kind: 'give_up' } | { readonly kind: 'wait'; readonly delayMs: number };

export type FailedAttempt = {
  readonly error: ModelError;
  readonly attempt: number;
  readonly leftMs: number;
};

const GIVE_UP: ModelRetryDecision = { kind: 'give_up' };

/** Jitter only lengthens a delay that the provider names. Gives up if the delay exceeds the remaining time. */
export const decideModelRetry = (
  { error, attempt, leftMs }: FailedAttempt,
  policy: ModelRetryPolicy,
  random: () => number,
): ModelRetryDecision => {
  if (!error.retryable || attempt >= policy.attempts) return GIVE_UP;
  const named = error.retryAfterMs;
  if (named !== null && named > policy.maxRetryAfterMs) return GIVE_UP;
  const delayMs =
    named === null
      ? Math.max(1, backoffMs(attempt, { ...policy }, random))
      : named + Math.floor(random() * policy.baseMs);
  return delayMs >= leftMs ? GIVE_UP : { kind: 'wait', delayMs };
};

export type RetryOptions = {
  readonly policy: ModelRetryPolicy;
  readonly clock: AgentClock;
  readonly leftMs: () => number;
  /** Contract: must not throw. */
  readonly onRetry?: (error: ModelError, delayMs: number) => void;
};

export const createRetryingModel = (model: Model, { policy, clock, leftMs, onRetry }: RetryOptions): Model => ({
  respond: async (request, signal) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await model.respond(request, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelError)) throw error;
        const decision = decideModelRetry({ error, attempt, leftMs: leftMs() }, policy, clock.random);
        if (decision.kind === 'give_up') throw error;
        onRetry?.(error, decision.delayMs);
        await clock.sleep(decision.delayMs, signal);
      }
    }
  },
});
