/** Counts requests and says when it is time to let the forge rest. What was asked too fast is waited for afterwards. */
export type SweepMeter = {
  spend(requests: number): void;
  /** A second's worth, or a single request where that is less, is spent. */
  isUsedUp(): boolean;
  /** How long to rest, when so much time has passed since the meter began. */
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
