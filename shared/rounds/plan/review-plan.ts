import { MAX_LEFT } from '../../diff/paths/left-paths.ts';
import { isUnverified } from '../model/blocking.ts';
import type { ReviewDraft } from '../model/draft.ts';
import type { GateResult } from '../model/gate-result.ts';
import { isComparable, type ReviewedInput } from '../model/history.ts';
import type { MarkedInput, SummaryMarker } from '../model/marker-payload.ts';
import { decideForgeVerdict } from '../gate/forge-verdict.ts';
import { findingNumber } from '../../vocabulary/ids.ts';
import { type JudgedDraft, judgeDraft } from '../gate/judge-draft.ts';
import { placesAfter } from '../memory/ledger.ts';
import { reviewHandoff } from './plan-handoff.ts';
import { plannedClosures, plannedInline, plannedReplies } from './plan-threads.ts';
import type { FullPlan, PostPlan } from '../model/posting/post-plan.ts';
import { statusOf } from './wording/review-status.ts';
import { settingsPagesOf } from './wording/settings-pages.ts';
import { addSpent } from '../../vocabulary/spent.ts';
import { reviewBodyText } from './wording/review-body-text.ts';
import { reviewSummary } from './wording/summary-text.ts';
import { otherBasesOf } from '../model/input.ts';
import { mustFinish } from '../model/run.ts';
import type { Verdict } from '../../vocabulary/finding.ts';
import { countsMarker, emptyPlan, markerBase, summaryMarker } from './empty-plan.ts';
import type { ReviewPlanInput } from './review-plan-input.ts';

export const buildReviewPlan = (input: ReviewPlanInput): FullPlan => {
  const { facts, history, policy, run, draft, gated } = input;
  const currentHead = facts.head === draft.head && facts.targetBranch === run.target;
  const judged = judgeDraft(input);
  const { judgement } = judged;
  const { verdict } = judgement;
  const inline = plannedInline(input);
  const summary = reviewSummary({
    draft,
    gated,
    known: history.threads,
    judgement,
    counts: run.countsAfter ?? history,
    spentBefore: history.spent,
    policy,
    author: facts.author.login,
    mention: input.mention,
    behind: !currentHead,
    settingsUrl: settingsPagesOf(facts)?.view ?? null,
  });
  const text = reviewBodyText(summary.text, gated, verdict);
  const handoffs = reviewHandoff(input, judged);
  return {
    ...emptyPlan(input, run, 'review'),
    planId: `${run.runId}-review`,
    base: draft.base,
    ...otherBasesOf(draft),
    targetHead: draft.targetHead,
    allowStale: mustFinish(run),
    inline,
    reviewText: inline.length === 0 ? null : text,
    replies: plannedReplies(input),
    closures: plannedClosures(input),
    summary: { ...summary, marker: reviewMarker(input, judged) },
    notices: [
      // A review with inline comments is itself sent by email, and its first line is the verdict.
      ...(inline.length > 0 ? [] : verdictNotice(input, verdict)),
      ...(inline.length + handoffs.length > 0 ? [] : askNotice(input, { verdict, text })),
      ...handoffs,
    ],
    status: statusOf(verdict, judgement.reasons),
    forgeVerdict: decideForgeVerdict({ policy: policy.forgeVerdict, verdict, currentHead }),
  };
};

const reviewMarker = (input: ReviewPlanInput, { remembered, ledger }: JudgedDraft): SummaryMarker => {
  const { history, run, draft, gated } = input;
  const reviewed = {
    head: draft.head,
    base: draft.base,
    ...otherBasesOf(draft),
    target: run.target,
    targetHead: draft.targetHead,
    rules: draft.rules,
    fingerprint: draft.patchFingerprint,
    review: draft.review,
    ...remembered,
    ...completenessOf(draft, gated),
    ...(draft.seenBy === undefined ? {} : { seenBy: draft.seenBy }),
  };
  const placesAt = placesAfter(history, draft);
  return {
    ...withCap(summaryMarker(input, run), draft.repository?.maxRounds ?? null),
    base: draft.base,
    phase: 'posted',
    superseded: 0,
    ...(run.countsAfter === undefined ? {} : countsMarker(run.countsAfter)),
    verdict: remembered.verdict,
    reviewed: [...(isComparable(reviewed) ? history.reviewed.map(withoutLeft) : history.reviewed), reviewed],
    ledger: ledger.entries,
    ...(placesAt === undefined ? {} : { placesAt }),
    spent: addSpent(history.spent, draft.spent),
    nextId: Math.max(
      history.nextNumber - 1,
      ...[...gated.accepted, ...gated.unverified].map(({ id }) => findingNumber(id)),
    ),
  };
};

type Completeness = Pick<MarkedInput, 'complete' | 'left'>;

/** An unverified claim must be judged again, so the next review treats the claim's file as not yet reviewed. */
const completenessOf = ({ coverage }: ReviewDraft, gated: GateResult): Completeness => {
  const doubtful = doubtfulPaths(gated);
  if (coverage.complete && doubtful.length === 0) return {};
  if (!coverage.complete && coverage.left === undefined) return { complete: false };
  const left = [...new Set([...(coverage.left ?? []), ...doubtful])].toSorted();
  return { complete: false, ...(left.length > MAX_LEFT ? {} : { left }) };
};

const doubtfulPaths = ({ unverified, standing }: GateResult): readonly string[] => [
  ...standing.filter(isUnverified).map(({ place }) => place.path),
  ...unverified.map(({ finding }) => finding.claim.path),
];

/**
 * The next review is compared only with the newest comparable review, so earlier reviews need not list what they left
 * out.
 */
const withoutLeft = ({ left: _left, ...reviewed }: ReviewedInput): MarkedInput => ({ ...reviewed });

/** The cap is replaced in every review, and removed if the settings contain none. */
const withCap = ({ cap: _before, ...marker }: SummaryMarker, cap: number | null): SummaryMarker =>
  cap === null ? marker : { ...marker, cap };

/**
 * A notice for a review whose findings are only in the summary, because editing a summary notifies nobody. The first
 * summary needs no notice, because a new comment notifies people.
 */
const askNotice = (
  { gated, history, run, facts }: ReviewPlanInput,
  { verdict, text }: { readonly verdict: Verdict; readonly text: string },
): PostPlan['notices'] => {
  const isNew = gated.accepted.length + gated.unverified.length > 0;
  const isReplied = gated.handled.some(({ answer }) => answer.action !== 'resolve');
  if (!isNew || isReplied || history.summary === null) return [];
  const marker = { ...markerBase(facts, run), kind: 'notice' as const, head: run.head, verdict };
  return [{ marker, text, mention: false }];
};

/**
 * A notice that a change passes after feedback. A pass posts no other comment, and editing the summary notifies nobody.
 */
const verdictNotice = ({ history, run, facts }: ReviewPlanInput, verdict: Verdict): PostPlan['notices'] => {
  if (history.verdict !== 'feedback' || verdict !== 'lgtm') return [];
  const marker = { ...markerBase(facts, run), kind: 'notice' as const, head: run.head, verdict };
  return [{ marker, text: 'Nothing blocks merging any more. The summary is up to date.', mention: false }];
};
