/**
 * A file of a stranger must not keep a process busy: what one look at it may cost, counted and not measured, so that the
 * same file always gives the same owners.
 */
export type WorkLimit = {
  /** False: this does not fit any more, and neither does anything after it. */
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
