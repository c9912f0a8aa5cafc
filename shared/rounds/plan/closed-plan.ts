/**
 * A pending status of a closed change request would block a merge check forever, and a passing one would look like a review
 * after a reopening. Some forges treat `skipped` as passed, so the status becomes `error`.
 */
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan } from './empty-plan.ts';
import { inputOf } from '../model/input.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';
import { closedText, withFindings } from './wording/other-summaries.ts';
import type { CommitSha, RunId } from '../../vocabulary/ids.ts';

export type ClosedInput = { readonly heads: readonly CommitSha[]; readonly noticeId: RunId };

/** Builds one plan for each head that may have a pending status. The first plan also corrects the summary. */
export const buildClosedPlans = (context: PlanContext, { heads, noticeId }: ClosedInput): readonly PostPlan[] => {
  const how = context.facts.state === 'merged' ? 'merged' : 'closed';
  return heads.map((head, index) => ({
    ...emptyPlan(context, { runId: noticeId, ...inputOf(context.facts), head, review: 1, attempt: 1 }, 'closed'),
    planId: `${noticeId}-closed-${index + 1}`,
    summary: index === 0 ? closedSummary(context, how) : null,
    status: { state: 'error', description: endedUnder(how) },
  }));
};

export const endedUnder = (how: 'merged' | 'closed'): string => `Not reviewed: ${how} before the review was complete`;

/** Only a summary that says `reviewing` has become wrong and is replaced. Its marker keeps everything else. */
const closedSummary = ({ history, mention }: PlanContext, how: 'merged' | 'closed'): PostPlan['summary'] => {
  const kept = history.summary?.marker;
  if (kept?.phase !== 'reviewing') return null;
  return {
    ...withFindings(closedText(kept.head, how), history, mention),
    marker: { ...kept, phase: 'failed', until: null },
  };
};
