import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, withoutReview } from './empty-plan.ts';
import { type Input, inputOf } from '../model/input.ts';
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

const WORDS =
  'Not reviewed: Fixpoint crashed repeatedly on this change request. An operator has to fix this (WORKER_DIED)';

/** A withdrawal with an error status. Nothing else is said, because the comments of the change request cannot be read. */
export const buildSetAsidePlan = (context: Pick<PlanContext, 'facts' | 'policy'>, noticeId: RunId): PostPlan => ({
  ...emptyPlan(context, { runId: noticeId, ...inputOf(context.facts), review: 1, attempt: 1 }, 'withdraw'),
  planId: `${noticeId}-aside`,
  summary: null,
  status: { state: 'error', description: WORDS },
  forgeVerdict: withoutReview(context.policy),
});

/** True if the change request is set aside: then its comments must not be read, because they may take down the process. */
export const isSetAside = ({ kind, status }: Pick<PostPlan, 'kind' | 'status'>): boolean =>
  kind === 'withdraw' && status?.state === 'error';
