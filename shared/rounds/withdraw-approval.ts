/**
 * A branch can be put back to a head that was reviewed before. Its own verdict still stands in its status, and nothing
 * is reviewed again; but an approval that a later head has earned would count for it on the forge, so it is taken back.
 */
import { emptyPlan, type PlanContext, withoutRound } from './build-plan.ts';
import { change, type DecideInput, type Decision, isSettled, order } from './decision.ts';
import { lastReviewed } from './fix-conditions.ts';
import type { PostPlan } from './post-plan.ts';
import type { CommitSha, RunId } from './vocabulary.ts';

/** Once for each pair of heads. Without a state (Redis was lost) it is ordered again, and finds nothing to take. */
export const withdrawApproval = (board: Decision, { facts, policy, freshRunId }: DecideInput): Decision => {
  const head = facts.changeRequest?.head;
  const last = lastReviewed(facts.history);
  if (head === undefined || last === null || policy.forgeVerdict !== 'approve_and_request_changes') return board;
  const isBack = last.head !== head && isSettled(board.state, head);
  if (!isBack || last.verdict !== 'lgtm' || hasPassed(facts, head)) return board;
  const pair = `${head} ${last.head}`;
  if (board.state.withdrawnFor === pair) return board;
  return order(
    change(board, { withdrawnFor: pair }),
    { kind: 'withdraw_approval', head, noticeId: freshRunId },
    'the head went back to one that did not pass',
  );
};

const hasPassed = ({ history }: DecideInput['facts'], head: CommitSha): boolean =>
  history.reviewed.findLast((each) => each.head === head)?.verdict === 'lgtm';

export type Withdrawal = { readonly head: CommitSha; readonly noticeId: RunId };

/** Nothing is said and no status changes. */
export const buildWithdrawPlan = (context: PlanContext, { head, noticeId }: Withdrawal): PostPlan => ({
  ...emptyPlan(context, { runId: noticeId, head, round: 1, attempt: 1 }, 'withdraw'),
  planId: `${noticeId}-withdraw`,
  summary: null,
  status: null,
  forgeVerdict: withoutRound(context.policy),
});
