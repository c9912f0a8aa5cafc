/** Limits the work of following the names of one file: code can be made for which this takes very long. */
import { RulesEngineFailedError } from '../model/errors.ts';

/** A unit is about a microsecond. Large real files need up to 50,000. */
const MAX_UNITS_PER_FILE = 1_000_000;
const UNITS_BETWEEN_CHECKS = 10_000;

export type FollowLimit = {
  /** @throws RulesEngineFailedError if the file needs more than its limit; what `check` throws. */
  readonly spend: (units: number) => void;
};

/** Contract: `check` throws if the work must end. It is called about every 10,000 units. */
export const createFollowLimit = (check: () => void, maxUnits = MAX_UNITS_PER_FILE): FollowLimit => {
  let spent = 0;
  let checkedAt = 0;
  return {
    spend: (units) => {
      spent += units;
      if (spent > maxUnits) throw new RulesEngineFailedError({ reason: 'names' });
      if (spent - checkedAt < UNITS_BETWEEN_CHECKS) return;
      checkedAt = spent;
      check();
    },
  };
};
