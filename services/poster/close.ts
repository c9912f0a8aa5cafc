import { inputOf } from '../../shared/rounds/model/input.ts';
import { lastWord } from '../../shared/rounds/plan/place-status.ts';
import { readHistory } from './place-members.ts';
import type { Posting } from './deps.ts';
import { makeTrue, type PostOutcome } from './post.ts';
import { hasWaiting } from './standing-status.ts';
import { writeStatus } from './write-status.ts';

/** Ends the status and summary of a review whose change request was closed or merged. A posted verdict stays. */
export const close = async (posting: Posting): Promise<PostOutcome> => {
  const { deps, forge, plan, signal } = posting;
  const facts = await forge.read.fetchChangeRequest(plan.changeRequest, signal);
  // If the change request was reopened, its next run posts everything.
  if (facts === null || facts.state === 'open') return 'head_moved';
  if (deps.dryRun) return 'posted';
  // A review may have been posted since this was planned. A deleted summary is not created again.
  const history = await readHistory(posting, plan.changeRequest);
  if (plan.summary !== null && history.summary?.marker.phase === 'reviewing') await makeTrue(posting, facts);
  deps.checkpoint('before-status');
  const statuses = await forge.read.fetchStatuses(plan.changeRequest, plan.head, signal);
  if (plan.status === null || !hasWaiting(statuses, deps.statusContext)) return 'posted';
  const ended = { input: { ...inputOf(facts), head: plan.head }, isHead: facts.head === plan.head };
  const status = lastWord(history, { ...ended, otherwise: plan.status });
  await writeStatus({ ...posting, plan: { ...plan, status } }, facts);
  return 'posted';
};
