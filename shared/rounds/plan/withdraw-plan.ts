import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, withoutReview } from './empty-plan.ts';
import type { Input } from '../model/input.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';
import type { RunId } from '../../vocabulary/ids.ts';

export type Withdrawal = { readonly input: Input; readonly pending: boolean; readonly noticeId: RunId };

/** The plan posts no comment. The summary still shows the verdict on the other input. */
export const buildWithdrawPlan = (
  context: Pick<PlanContext, 'facts' | 'policy'>,
  { input, pending, noticeId }: Withdrawal,
): PostPlan => ({
  ...emptyPlan(context, { runId: noticeId, ...input, review: 1, attempt: 1 }, 'withdraw'),
  planId: `${noticeId}-withdraw`,
  summary: null,
  status: pending ? { state: 'pending', description: 'Not reviewed yet: new target branch or merge base' } : null,
  forgeVerdict: withoutReview(context.policy),
});
