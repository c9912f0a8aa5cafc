import type { FullPlan } from '../model/posting/post-plan.ts';
import type { Run } from '../model/run.ts';
import { announceText, withFindings } from './wording/other-summaries.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, summaryMarker, withoutRound } from './empty-plan.ts';

type Announcement = { readonly run: Run; readonly runsUsed: number; readonly supersededInRow: number };

export const buildAnnouncePlan = (context: PlanContext, { run, runsUsed, supersededInRow }: Announcement): FullPlan => {
  const { history, policy } = context;
  // The run gets a new deadline when its review begins. This one decides when to retry after the loss of Redis.
  const deadlineMs = run.deadlineMs - policy.postTimeoutMs + policy.runTimeoutMs;
  return {
    ...emptyPlan(context, run, 'announce'),
    planId: `${run.runId}-announce`,
    summary: {
      ...withFindings(announceText(run, history), history, context.mention),
      marker: {
        ...summaryMarker(context, run),
        phase: 'reviewing',
        runs: runsUsed,
        superseded: supersededInRow,
        until: Math.ceil(deadlineMs / 1000),
        ...(run.kind === 'review' && run.full === true ? { full: run.full } : {}),
      },
    },
    forgeVerdict: withoutRound(policy),
    status: {
      state: 'pending',
      description: `Review ${run.round}: in progress`,
    },
  };
};
