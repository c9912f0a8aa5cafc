import type { FullPlan } from '../model/posting/post-plan.ts';
import type { Run } from '../model/run.ts';
import { announceText, withFindings } from './wording/other-summaries.ts';
import { keptRest } from './wording/summary-comment.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, summaryMarker, withoutReview } from './empty-plan.ts';
import { announcedUntil, announcementOf } from './announcement-of.ts';

type Announcement = { readonly run: Run; readonly runsUsed: number; readonly supersededInRow: number };

export const buildAnnouncePlan = (context: PlanContext, { run, runsUsed, supersededInRow }: Announcement): FullPlan => {
  const { history, policy } = context;
  const until = announcedUntil(run, policy);
  const full = run.kind === 'review' && run.full === true ? { full: run.full } : {};
  return {
    ...emptyPlan(context, run, 'announce'),
    planId: `${run.runId}-announce`,
    summary: {
      ...withFindings(announceText(run, history), history, context.mention, keptRest(history)),
      marker: {
        ...summaryMarker(context, run),
        phase: 'reviewing',
        runs: runsUsed,
        superseded: supersededInRow,
        until,
        ...full,
      },
    },
    announcement: announcementOf(run, { runs: runsUsed, superseded: supersededInRow, until, ...full }),
    forgeVerdict: withoutReview(policy),
    status: {
      state: 'pending',
      description: `Review ${run.review}: in progress`,
    },
  };
};
