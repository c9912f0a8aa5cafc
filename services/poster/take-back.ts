/**
 * Sets the status to pending and withdraws an approval if the input changed during posting, because the next event or
 * sweep may be far away.
 */
import { inputOf } from '../../shared/rounds/model/input.ts';
import { FOR_OTHER_INPUT } from '../../shared/rounds/gate/forge-verdict.ts';
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import type { PlannedStatus } from '../../shared/rounds/model/posting/post-plan.ts';
import type { Posting } from './deps.ts';
import { settleVerdict } from './settle-verdict.ts';
import { compareWithPlan, isForSure } from './standing.ts';
import { writeStatus } from './write-status.ts';
import { isSetAside } from '../../shared/rounds/plan/withdraw-plan.ts';
import { readStatusIfReadable } from './place-members.ts';
import { sayStatus } from './say-why.ts';
import { fetchOwnStatus } from './standing-status.ts';

const CHANGED = { state: 'pending', description: 'Not reviewed yet: new target branch or merge base' } as const;

/** True if the status or verdict was withdrawn or the change request is closed. `said`: the status that was written; null if none was. */
export const takeBackIfChanged = async (
  posting: Posting,
  said: PlannedStatus | null,
  before: Pick<ChangeRequestFacts, 'statusPlace'>,
): Promise<boolean> => {
  const { forge, plan, log, signal } = posting;
  const saidNothing = said === null || said.state === 'pending';
  if (saidNothing && plan.forgeVerdict !== 'approve') return false;
  const facts = await forge.read.fetchChangeRequest(plan.changeRequest, signal);
  if (facts === null || facts.state !== 'open') return true;
  if (isForSure(plan, facts)) {
    // The status place has changed, and other change requests may share the new one.
    if (!saidNothing && facts.statusPlace !== before.statusPlace) await writeStatus(posting, facts);
    return false;
  }
  log.warn(
    { was: plan.target, is: inputOf(facts), how: compareWithPlan(plan, facts) },
    'the input changed while posting',
  );
  // A new head has its own status, so this status need not change.
  if (facts.head === plan.head && !saidNothing)
    await writeStatus({ ...posting, plan: { ...plan, status: CHANGED } }, facts);
  if (plan.forgeVerdict !== null)
    await settleVerdict({ ...posting, plan: { ...plan, forgeVerdict: FOR_OTHER_INPUT } }, facts);
  return true;
};

/**
 * Withdraws an approval that is about another input, and if planned the status. Writes no comment, so it also works where
 * this version cannot read the comments of the bot.
 */
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
