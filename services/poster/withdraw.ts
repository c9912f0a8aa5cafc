/**
 * Withdraws an approval that is about another input, and if planned the status. Writes no comment, so it also works where
 * this version cannot read the comments of the bot.
 */
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import { isSetAside } from '../../shared/rounds/plan/set-aside-plan.ts';
import type { Posting } from './deps.ts';
import { readStatusIfReadable } from './place-members.ts';
import { sayStatus } from './say-why.ts';
import { settleVerdict } from './settle-verdict.ts';
import { fetchOwnStatus } from './standing-status.ts';
import { writeStatus } from './write-status.ts';

export const withdraw = async (posting: Posting, facts: ChangeRequestFacts): Promise<void> => {
  const { deps, plan } = posting;
  if (isSetAside(plan)) return withdrawBlindly(posting, facts);
  // The plan may have waited so long that the verdict that it withdraws is valid again.
  if (await isVouchedFor(posting, facts)) return;
  await settleVerdict(posting, facts);
  deps.checkpoint('before-status');
  const said = await writeStatus(posting, facts);
  deps.checkpoint('after-status');
  await sayStatus(posting, said);
};

/** The status goes first, because it is what people see. */
const withdrawBlindly = async (posting: Posting, facts: ChangeRequestFacts): Promise<void> => {
  await writeStatus(posting, facts);
  await settleVerdict(posting, facts);
};

/**
 * True if the present input passes. Where the markers cannot be read, the passing status at the head says so, which a
 * process of the other version has written; it does not count if guard knows that it is about another input.
 */
const isVouchedFor = async (posting: Posting, facts: ChangeRequestFacts): Promise<boolean> => {
  const { deps, plan } = posting;
  const read = await readStatusIfReadable(posting, facts);
  if (read !== null) return read.state === 'success';
  if (plan.status !== null) return false;
  return (await fetchOwnStatus(posting, deps.statusContext))?.state === 'success';
};
