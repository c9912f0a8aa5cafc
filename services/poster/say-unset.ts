import type { StatusRefusal } from '../../shared/forge/port-statuses.ts';
import { extendSummary } from './extend-summary.ts';
import type { Posting } from './deps.ts';

const WHY: Readonly<Record<StatusRefusal, string | null>> = {
  fork: 'the pipeline of this change runs in the fork, where the bot has no permissions',
  protected:
    'the source branch is protected, and the bot may neither push nor merge to it. Give the bot one of these permissions, or the role Maintainer',
  name_taken: 'a CI job of the project has the name of the status. Give the job another name',
  full: 'the pipeline has as many jobs as the plan of the project allows',
  // No explanation is needed: a later read finds another pipeline.
  gone: null,
  // No explanation is needed: a status with the same state exists.
  kept: null,
};

/** Explains in the summary why there is no commit status. */
export const sayUnset = async (posting: Posting, unset: StatusRefusal): Promise<void> => {
  const why = WHY[unset];
  if (why === null) return;
  const text = `_The commit status could not be set: ${why}._`;
  await extendSummary(posting, text);
};
