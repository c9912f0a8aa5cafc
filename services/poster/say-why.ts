/** Explains in the summary why the status differs from the verdict or is missing. */
import type { StatusRefusal } from '../../shared/forge/port-statuses.ts';
import { changeRequestKey } from '../../shared/vocabulary/ids.ts';
import { extendSummary } from './extend-summary.ts';
import type { Posting } from './deps.ts';
import type { SaidStatus } from './write-status.ts';

/** Adds to the summary why the status differs from the verdict or is missing. Returns true if it may have edited the summary. */
export const sayStatus = async (posting: Posting, said: SaidStatus | null): Promise<boolean> => {
  if (said === null) return false;
  const { heldBy, unset } = said;
  if (heldBy !== null) await sayHeld(posting, heldBy);
  if (unset !== null) await sayUnset(posting, unset);
  return heldBy !== null || unset !== null;
};

/** Names the change request that holds the status, because the status text is too short. */
export const sayHeld = async (posting: Posting, number: number): Promise<void> => {
  const { forge, plan, log } = posting;
  log.info({ of: changeRequestKey(plan.changeRequest), by: number }, 'another change request determines the status');
  const [mention] = forge.sanitizing.mayShow ?? [];
  const ask = mention === undefined ? 'ask the bot for a review there' : `write \`@${mention} review\` there`;
  const text =
    `_When this was written, \`${forge.sigil}${number}\`, which has the same head, determined the status of this commit. ` +
    `To change that, close \`${forge.sigil}${number}\`, push another commit here, or ${ask}._`;
  await extendSummary(posting, text);
};

const WHY: Readonly<Record<StatusRefusal, string | null>> = {
  fork: 'the pipeline of this change runs in the fork, where the bot has no permissions',
  protected:
    'the source branch is protected, and the bot may neither push nor merge to it. Give the bot one of these permissions, or the Maintainer role',
  name_taken: 'a CI job of the project has the same name as the status. Give the job another name',
  full: "the pipeline has reached the job limit of the project's plan",
  // No explanation is needed: a later read finds another pipeline.
  gone: null,
  // No explanation is needed: a status with the same state exists.
  kept: null,
};

/** Says why there is no commit status. */
export const sayUnset = async (posting: Posting, unset: StatusRefusal): Promise<void> => {
  const why = WHY[unset];
  if (why === null) return;
  const text = `_The commit status could not be set: ${why}._`;
  await extendSummary(posting, text);
};
