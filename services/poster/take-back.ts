/**
 * The input may change between the last look and the status. Then the status of the commit is pending again, and an
 * approval goes, in the same job: nobody would tell of it before the next event or sweep.
 */
import { inputOf } from '../../shared/rounds/model/input.ts';
import { FOR_OTHER_INPUT } from '../../shared/rounds/gate/forge-verdict.ts';
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import type { PlannedStatus } from '../../shared/rounds/model/post-plan.ts';
import type { Posting } from './deps.ts';
import { settleVerdict } from './settle-verdict.ts';
import { compareWithPlan, isForSure } from './standing.ts';
import { writeStatus } from './write-status.ts';

const CHANGED = { state: 'pending', description: 'Another target branch or merge base: not reviewed yet' } as const;

/** `said`: the status that was written; null for none. `before`: the facts by which it was written. True when it was taken back, or nothing of it is there any more. */
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
    // The gate looks elsewhere by now, where others may have to be counted.
    if (!saidNothing && facts.statusPlace !== before.statusPlace) await writeStatus(posting, facts);
    return false;
  }
  log.warn(
    { was: plan.target, is: inputOf(facts), how: compareWithPlan(plan, facts) },
    'the input changed while posting',
  );
  // The status of another commit is another status.
  if (facts.head === plan.head && !saidNothing)
    await writeStatus({ ...posting, plan: { ...plan, status: CHANGED } }, facts);
  if (plan.forgeVerdict !== null)
    await settleVerdict({ ...posting, plan: { ...plan, forgeVerdict: FOR_OTHER_INPUT } }, facts);
  return true;
};
