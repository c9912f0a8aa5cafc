/** Counts requests and decides when to pause. Requests above the rate lengthen the pause. */
export type SweepMeter = {
  spend(requests: number): void;
  /** True when one second's worth of requests, at least one, has been used. */
  isUsedUp(): boolean;
  /** How long to pause, `elapsedMs` after the meter was created. */
  restMs(elapsedMs: number): number;
};

export const createSweepMeter = (requestsPerSecond: number): SweepMeter => {
  let spent = 0;
  return {
    spend: (requests) => {
      spent += requests;
    },
    isUsedUp: () => spent >= Math.max(1, requestsPerSecond),
    restMs: (elapsedMs) => Math.max(0, Math.ceil((spent / requestsPerSecond) * 1000 - elapsedMs)),
  };
};
