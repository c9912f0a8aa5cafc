/** Counts requests to a forge and decides when to pause. Requests above the allowed rate lengthen the pause. */
export type SweepMeter = {
  spend(requests: number): void;
  /** True if as many requests were made as the rate allows in one second (at least one). */
  isUsedUp(): boolean;
  /** Returns how long to pause. `elapsedMs`: time since the meter was created. */
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
