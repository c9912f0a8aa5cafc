/** The limits of one call: its caller's signal, its whole time, and the longest silence within it. */
import { type FailureCost, ModelTimedOutError } from './model-errors.ts';

/** What the call has cost, should its connection be closed now, or should it have fallen silent. */
export type CostSoFar = { readonly ended: FailureCost; readonly silent: FailureCost };

export type CallLimits = {
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  /** Something came: the silence begins anew. */
  readonly alive: () => void;
  readonly costs: (cost: CostSoFar) => void;
  /** What it has cost when its caller stops it: the provider sees the connection close. */
  readonly stoppedCost: () => FailureCost;
  /** The limit that ended the call; null when none did. */
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
      // Closes the connection where the answer was not read to its end.
      stop();
    },
  };
};
