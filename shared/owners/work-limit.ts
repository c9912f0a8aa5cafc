/**
 * Limits the work on a file that a stranger may have written, so that it cannot keep a process busy. Work is counted in steps,
 * not in time, so that the same file always gives the same owners.
 */
export type WorkLimit = {
  /** Returns false when these steps exceed the limit. Every later call then returns false too. */
  readonly spend: (steps: number) => boolean;
  readonly isUsedUp: () => boolean;
};

export const createWorkLimit = (steps: number): WorkLimit => {
  let left = steps;
  return {
    spend: (wanted) => {
      left -= wanted;
      return left >= 0;
    },
    isUsedUp: () => left <= 0,
  };
};
