import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { Counts } from '../model/counts.ts';
import type { SummaryMarker } from '../model/marker-payload.ts';
import type { Policy } from '../model/policy.ts';
import { decideForgeVerdict } from '../gate/forge-verdict.ts';
import { changeRequestKey } from '../../vocabulary/ids.ts';
import { carriedOverBy } from '../memory/summary-carry-over.ts';
import { ledgerOf } from '../memory/ledger.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';
import type { Run } from '../model/run.ts';
import { addSpent } from '../../vocabulary/spent.ts';
import { type Input, inputMarker } from '../model/input.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';

/** A head without a verdict gets no approval, and an approval of an earlier head is withdrawn. */
export const withoutReview = (policy: Policy): PostPlan['forgeVerdict'] =>
  decideForgeVerdict({ policy: policy.forgeVerdict, verdict: null, currentHead: true });

export type RunRef = Pick<Run, 'runId' | 'review' | 'attempt'> & Input;

export const emptyPlan = (
  { facts }: Pick<PlanContext, 'facts'>,
  run: RunRef,
  kind: PostPlan['kind'],
): Omit<PostPlan, 'planId' | 'summary' | 'status'> => ({
  v: 1,
  kind,
  changeRequest: facts.changeRequest,
  ...(facts.projectPath === undefined ? {} : { projectPath: facts.projectPath }),
  runId: run.runId,
  head: run.head,
  target: run.target,
  mergeBase: run.base,
  base: null,
  targetHead: run.targetHead,
  sourceBranch: facts.sourceBranch,
  allowStale: false,
  inline: [],
  reviewText: null,
  replies: [],
  closures: [],
  notices: [],
  announcement: null,
  reactions: [],
  forgeVerdict: null,
});

export const markerBase = (facts: ChangeRequestFacts, run: RunRef) => ({
  cr: changeRequestKey(facts.changeRequest),
  review: run.review,
  attempt: run.attempt,
  run: run.runId,
});

/** Builds a summary marker that keeps everything that the last marker stores. */
export const summaryMarker = ({ facts, history }: PlanContext, run: RunRef): SummaryMarker => {
  const { grants, grantedAtMs, pauses, roundsUsed, silentReviews, carriedHeads } = history;
  return {
    ...markerBase(facts, run),
    kind: 'summary',
    phase: 'posted',
    ...inputMarker(run),
    ...carriedOverBy(history.summary?.marker),
    until: null,
    runs: history.runsUsed,
    ...countsMarker({ roundsUsed, silentReviews, carriedHeads }),
    superseded: history.supersededInRow,
    verdict: history.verdict,
    reviewed: [...history.reviewed],
    ledger: ledgerOf(history),
    spent: history.spent ?? addSpent(null, null),
    nextId: history.nextNumber - 1,
    ...(grants === 0 ? {} : { grants }),
    ...(grantedAtMs.length === 0 ? {} : { grantedAt: grantedAtMs.map((atMs) => Math.floor(atMs / 1000)) }),
    ...(pauses === 0 ? {} : { pauses }),
    ...(history.outages === 0 ? {} : { outages: history.outages }),
    ...(history.fixes.used === 0 ? {} : { fixes: history.fixes.used, fixReview: history.fixes.review }),
  };
};

/** The counts that a summary stores in addition to `runs`. */
export const countsMarker = ({
  roundsUsed,
  silentReviews,
  carriedHeads,
}: Omit<Counts, 'runsUsed'>): Pick<SummaryMarker, 'rounds' | 'silent' | 'carried'> => ({
  ...(roundsUsed === 0 ? {} : { rounds: roundsUsed }),
  ...(silentReviews === 0 ? {} : { silent: silentReviews }),
  ...(carriedHeads === 0 ? {} : { carried: carriedHeads }),
});
