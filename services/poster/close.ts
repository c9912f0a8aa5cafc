import { makeTrue, type Posting, type PostOutcome } from './post.ts';
import { readOwn } from './read-own.ts';
import { writeStatus } from './write-status.ts';

/** The last words on a change request that ended under its review. Whatever was decided before stays as it is. */
export const close = async (posting: Posting): Promise<PostOutcome> => {
  const { deps, forge, plan, signal } = posting;
  const facts = await forge.read.fetchChangeRequest(plan.changeRequest, signal);
  // Open again: its next run says everything anew.
  if (facts === null || facts.state === 'open') return 'head_moved';
  if (deps.dryRun) return 'posted';
  if (plan.summary !== null && (await hasSummary(posting))) await makeTrue(posting, facts);
  deps.checkpoint('before-status');
  const statuses = await forge.read.fetchStatuses(plan.changeRequest, plan.head, signal);
  const isWaiting = statuses.some(({ context, state }) => context === deps.statusContext && state === 'pending');
  if (isWaiting) await writeStatus(posting, facts);
  return 'posted';
};

/** One that somebody took away is not written anew under a closed change request. */
const hasSummary = async (posting: Posting): Promise<boolean> =>
  (await readOwn(posting)).some(({ payload }) => payload.kind === 'summary');
