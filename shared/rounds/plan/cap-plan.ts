import type { RunId } from '../../vocabulary/ids.ts';
import { handoff } from './plan-handoff.ts';
import type { FullPlan } from '../model/posting/post-plan.ts';
import { type Cap, CAP_CODES } from '../model/counts.ts';
import { cutStatusText } from './wording/status-words.ts';
import { capStatus, capText, withFindings } from './wording/other-summaries.ts';
import type { Input } from '../model/input.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, summaryMarker, withoutReview } from './empty-plan.ts';

export type CapInput = { readonly input: Input; readonly cap: Cap; readonly noticeId: RunId };

export const buildCapPlan = (context: PlanContext, { input, cap, noticeId }: CapInput): FullPlan => {
  const of = { runId: noticeId, ...input, review: Math.max(1, context.history.reviewsDone), attempt: 1 };
  const text = capText(input.head, cap, context.policy.rounds);
  const kept = context.history.summary?.marker;
  return {
    ...emptyPlan(context, of, 'cap'),
    planId: `${noticeId}-cap`,
    summary: {
      ...withFindings(text, context.history, context.mention),
      marker: {
        ...summaryMarker(context, of),
        // `posted` means that the review is complete.
        phase: context.history.reviewsDone === 0 || kept?.phase === 'reviewing' ? 'failed' : 'posted',
        verdict: 'inconclusive',
      },
    },
    notices: [handoff(context, of, { reason: CAP_CODES[cap], text })],
    status: { state: 'error', description: cutStatusText(capStatus(cap, context.policy.rounds)) },
    forgeVerdict: withoutReview(context.policy),
  };
};
