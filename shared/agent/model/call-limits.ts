import { type FailureCost, ModelTimedOutError } from './model-errors.ts';

/** Cost of the call so far: `ended` if the connection closes now, `silent` if the provider has stopped sending. */
export type CostSoFar = { readonly ended: FailureCost; readonly silent: FailureCost };

export type CallLimits = {
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  readonly alive: () => void;
  readonly costs: (cost: CostSoFar) => void;
  /** Cost of a call that the caller stops. Stopping closes the connection, which the provider notices. */
  readonly stoppedCost: () => FailureCost;
  readonly over: () => ModelTimedOutError | null;
  readonly end: () => void;
};

export const createCallLimits = (
  limits: { readonly idleTimeoutMs: number; readonly callTimeoutMs: number },
  caller: AbortSignal,
  unanswered: FailureCost,
): CallLimits => {
  const controller = new AbortController();
  let cost: CostSoFar = { ended: unanswered, silent: unanswered };
  let over: ModelTimedOutError | null = null;
  const stop = (): void => controller.abort();
  const expire = (kind: 'idle' | 'whole_call', ms: number) => (): void => {
    over ??= new ModelTimedOutError({ kind, ms }, cost.silent);
    stop();
  };
  const whole = setTimeout(expire('whole_call', limits.callTimeoutMs), limits.callTimeoutMs);
  const idle = setTimeout(expire('idle', limits.idleTimeoutMs), limits.idleTimeoutMs);
  caller.addEventListener('abort', stop, { once: true });
  return {
    controller,
    signal: controller.signal,
    alive: () => void idle.refresh(),
    costs: (known) => {
      cost = known;
    },
    stoppedCost: () => cost.ended,
    over: () => over,
    end: () => {
      clearTimeout(whole);
      clearTimeout(idle);
      caller.removeEventListener('abort', stop);
      // Closes the connection if the answer was not read to the end.
      stop();
    },
  };
};
