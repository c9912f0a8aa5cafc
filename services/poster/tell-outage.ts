import type { Posting } from './deps.ts';
import { fetchStanding } from './standing.ts';
import { standingOf } from './standing-status.ts';
import { writeStatus } from './write-status.ts';

/** Replaces the pending status of a waiting run with the reason. The status of a verdict or of another input is kept. */
export const tellOutage = async (posting: Posting): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  const facts = deps.dryRun ? null : await fetchStanding(posting);
  if (facts === null) return;
  const statuses = await forge.read.fetchStatuses(plan.changeRequest, plan.head, signal);
  const own = standingOf(statuses, deps.statusContext);
  if (own === null || own.state === 'pending') await writeStatus(posting, facts);
};
