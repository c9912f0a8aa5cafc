import { isDeepStrictEqual } from 'node:util';
import { readSummaryBody } from '../memory/read-summary-body.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, markerBase } from './empty-plan.ts';
import type { FixReport } from '../model/fix-brief.ts';
import { declineText, fixHandoffText, fixRefusalText, headMovedText, pushedText } from './wording/fix-text.ts';
import { inputOf } from '../model/input.ts';
import { handoff } from './plan-handoff.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';
import { addSpent, NOTHING_SPENT } from '../../vocabulary/spent.ts';
import type { Fix } from '../model/fixes.ts';
import type { Effect } from '../model/effect.ts';

type Notice = PostPlan['notices'][number];

const runRef = ({ facts }: PlanContext, { runId, head, review }: Fix) => ({
  runId,
  ...inputOf(facts),
  head,
  review,
  attempt: 1,
});

/** Only changes the count in the summary's marker, before the author begins. */
export const buildFixAnnouncePlan = (context: PlanContext, fix: Fix): PostPlan => {
  const { summary } = context.history;
  return {
    ...emptyPlan(context, runRef(context, fix), 'fix_announce'),
    planId: `${fix.runId}-fix`,
    summary:
      summary === null
        ? null
        : {
            ...readSummaryBody(summary.comment.body),
            marker: { ...summary.marker, fixes: fix.number, fixReview: fix.review },
          },
    status: null,
  };
};

/**
 * May be posted at another head, because the fix moves the head. Unless the fix ended as `fixed`, only the cost in
 * `report` counts.
 */
export const buildFixEndPlan = (context: PlanContext, fix: Fix, report: FixReport | null): PostPlan => ({
  ...emptyPlan(context, runRef(context, fix), 'fix_end'),
  planId: `${fix.runId}-fixed`,
  allowStale: true,
  summary: report === null ? null : spentSummary(context, fix, report),
  replies: report === null || fix.end?.kind !== 'fixed' ? [] : declines(context, fix, report),
  notices: [endNotice(context, fix, report)],
  status: null,
});

/** `fixSpent` in the marker keeps a repeated plan from adding the cost twice. */
const spentSummary = ({ history }: PlanContext, fix: Fix, { spent }: FixReport): PostPlan['summary'] => {
  const { summary } = history;
  if (summary === null || (summary.marker.fixSpent ?? 0) >= fix.number) return null;
  if (isDeepStrictEqual(spent, NOTHING_SPENT)) return null;
  return {
    ...readSummaryBody(summary.comment.body),
    marker: { ...summary.marker, spent: addSpent(history.spent, spent), fixSpent: fix.number },
  };
};

/** Codes that mean that the change request changed during the fix. */
const MOVED: ReadonlySet<string | null> = new Set(['HEAD_MOVED', 'INPUT_CHANGED']);

const endNotice = (context: PlanContext, fix: Fix, report: FixReport | null): Notice => {
  const { end } = fix;
  if (end?.kind === 'fixed' && end.pushed !== null && report !== null) {
    const tree = report.commit?.tree ?? null;
    const marker = { ...fixMarker(context, fix), outcome: 'pushed' as const, pushed: end.pushed, tree };
    return { marker, text: pushedText(fix, report, end.pushed), mention: false };
  }
  if (end !== null && MOVED.has(end.code)) {
    const marker = { ...fixMarker(context, fix), outcome: 'head_moved' as const, pushed: null, tree: null };
    return { marker, text: headMovedText(fix), mention: false };
  }
  const code = end?.kind === 'fixed' ? whyNothingPushed(report) : (end?.code ?? 'UNEXPECTED');
  return handoff(context, runRef(context, fix), {
    reason: `fix_${code}`,
    text: fixHandoffText(fix, code, report?.failedValidations ?? []),
  });
};

const whyNothingPushed = (report: FixReport | null): string => (report === null ? 'REPORT_MISSING' : 'ALL_DECLINED');

const fixMarker = (context: PlanContext, fix: Fix) => ({
  ...markerBase(context.facts, runRef(context, fix)),
  kind: 'fix' as const,
  number: fix.number,
  head: fix.head,
});

const declines = (context: PlanContext, fix: Fix, report: FixReport): PostPlan['replies'] =>
  report.declines.flatMap(({ findingId, reason }) => {
    const thread = context.history.threads.findLast(({ id }) => id === findingId);
    if (thread === undefined) return [];
    const base = markerBase(context.facts, runRef(context, fix));
    const marker = { ...base, kind: 'decline' as const, id: findingId, fp: thread.fingerprint, head: fix.head };
    return [{ marker, text: declineText(findingId, reason) }];
  });

type Refusal = Extract<Effect, { readonly kind: 'refuse_fix' }>;

/** Each request by a commander is answered. `not_allowed` is answered once per change request. */
export const buildFixRefusalPlan = (context: PlanContext, { head, noteId, refusal, noticeId }: Refusal): PostPlan => {
  const { projectId, number } = context.facts.changeRequest;
  const run = {
    runId: noticeId,
    ...inputOf(context.facts),
    head,
    review: Math.max(1, context.history.reviewsDone),
    attempt: 1,
  };
  const note = refusal === 'not_allowed' ? 'fix.not_allowed' : `fix.${noteId}`;
  return {
    ...emptyPlan(context, run, 'fix_refusal'),
    planId: `${head.slice(0, 40)}-${projectId}-${number}-fix-${noteId}`,
    allowStale: true,
    summary: null,
    notices: [
      {
        marker: { ...markerBase(context.facts, run), kind: 'answer', note },
        text: fixRefusalText(refusal),
        mention: false,
      },
    ],
    status: null,
  };
};
