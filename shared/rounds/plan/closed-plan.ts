/**
 * A change request that ends while its review waits or runs. The status must not stay pending, or a gate on that commit
 * waits for ever, and must not pass, since nobody has reviewed it: reopened with the same head it would be falsely
 * clean. `skipped` counts as passed on some forges, so it is `error`, as for every head without a verdict. A reopened
 * one is reviewed anew.
 */
import type { PlanContext } from '../model/plan-context.ts';
import { emptyPlan } from './empty-plan.ts';
import { inputOf } from '../model/input.ts';
import type { PostPlan } from '../model/post-plan.ts';
import { closedText } from './wording/summary-text.ts';
import type { CommitSha, RunId } from '../../vocabulary/ids.ts';

export type ClosedInput = { readonly heads: readonly CommitSha[]; readonly noticeId: RunId };

/** One plan per head that may have a pending status; the summary is corrected with the first. */
export const buildClosedPlans = (context: PlanContext, { heads, noticeId }: ClosedInput): readonly PostPlan[] => {
  const how = context.facts.state === 'merged' ? 'merged' : 'closed';
  return heads.map((head, index) => ({
    ...emptyPlan(context, { runId: noticeId, ...inputOf(context.facts), head, round: 1, attempt: 1 }, 'closed'),
    planId: `${noticeId}-closed-${index + 1}`,
    summary: index === 0 ? closedSummary(context, how) : null,
    status: { state: 'error', description: endedUnder(how) },
  }));
};

export const endedUnder = (how: 'merged' | 'closed'): string => `No verdict: ${how} before its review was complete`;

/** Only one that says that a review is in progress is wrong now. What it remembers stays. */
const closedSummary = ({ history }: PlanContext, how: 'merged' | 'closed'): PostPlan['summary'] => {
  const kept = history.summary?.marker;
  if (kept?.phase !== 'reviewing') return null;
  return { text: closedText(kept.head, how, history), marker: { ...kept, phase: 'failed', until: null } };
};
