import type { ChangeRequestFacts } from '../../forge/port.ts';
import type { SummaryMarker } from '../model/marker-payload.ts';
import type { CiReading } from '../model/ci.ts';
import type { ReviewDraft } from '../model/draft.ts';
import type { Facts, Policy } from '../model/facts.ts';
import { decideForgeVerdict } from '../gate/forge-verdict.ts';
import type { GateResult } from '../model/gate-result.ts';
import { changeRequestKey, findingNumber, type RunId } from '../../vocabulary/ids.ts';
import type { History } from '../model/history.ts';
import { type JudgedDraft, judgeDraft } from '../gate/judge-draft.ts';
import { keptBy } from '../memory/kept.ts';
import { ledgerOf, placesAfter } from '../memory/ledger.ts';
import { CAP_CODES, handoff, roundHandoff } from './plan-handoff.ts';
import { plannedClosures, plannedInline, plannedReplies } from './plan-threads.ts';
import type { FullPlan, PostPlan } from '../model/post-plan.ts';
import type { Cap, Run } from '../model/state.ts';
import { cutDescription, statusOfRound } from './round-status.ts';
import { addSpent } from '../../vocabulary/spent.ts';
import { unverifiedAfter } from '../gate/verdict.ts';
import { announceText, capText, roundSummaryText } from './summary-text.ts';
import { type Input, inputMarker, otherBasesOf } from '../model/input.ts';
import type { Verdict } from '../../vocabulary/finding.ts';

export type PlanContext = {
  readonly facts: ChangeRequestFacts;
  readonly mention?: Facts['mention'];
  readonly history: History;
  /** With what commanders granted beyond the operator's caps. */
  readonly policy: Policy;
  /** Counts that the forge may not show yet. */
  readonly counts?: { readonly granted: number; readonly pauses: number };
};

type Announcement = { readonly run: Run; readonly runsUsed: number; readonly supersededInRow: number };

export const buildAnnouncePlan = (context: PlanContext, { run, runsUsed, supersededInRow }: Announcement): FullPlan => {
  const { history, policy } = context;
  // The run's own deadline counts from here on anew; after a wipe this one decides when to try again.
  const deadlineMs = run.deadlineMs - policy.postTimeoutMs + policy.runTimeoutMs;
  return {
    ...emptyPlan(context, run, 'announce'),
    planId: `${run.runId}-announce`,
    summary: {
      text: announceText(run, { maxRounds: policy.rounds.max, history }),
      marker: {
        ...summaryMarker(context, run),
        phase: 'reviewing',
        runs: runsUsed,
        superseded: supersededInRow,
        until: Math.ceil(deadlineMs / 1000),
        ...(run.full === undefined ? {} : { full: run.full }),
        ...(run.onlyCarry === undefined ? {} : { onlyCarry: run.onlyCarry }),
      },
    },
    forgeVerdict: withoutRound(policy),
    status: {
      state: 'pending',
      description:
        run.onlyCarry === true
          ? 'No round is left: comparing with what was reviewed'
          : `Round ${run.round} of at most ${policy.rounds.max}: reviewing`,
    },
  };
};

export type RoundPlanInput = PlanContext & {
  readonly run: Run;
  readonly draft: ReviewDraft;
  readonly gated: GateResult;
  /** Of this head, as it was read when the round was ready; absent or null when it does not matter. */
  readonly ci?: CiReading | null;
};

export const buildRoundPlan = (input: RoundPlanInput): FullPlan => {
  const { facts, policy, run, draft, gated } = input;
  const currentHead = facts.head === draft.head && facts.targetBranch === run.target;
  const judged = judgeDraft(input);
  const { judgement } = judged;
  const { verdict } = judgement;
  return {
    ...emptyPlan(input, run, 'round'),
    planId: `${run.runId}-round`,
    base: draft.base,
    ...otherBasesOf(draft),
    targetHead: draft.targetHead,
    allowStale: run.mustFinish,
    inline: plannedInline(input),
    replies: plannedReplies(input),
    closures: plannedClosures(input),
    summary: {
      text: roundSummaryText({
        draft,
        gated,
        judgement,
        maxRounds: policy.rounds.max,
        author: facts.author.login,
        behind: !currentHead,
      }),
      marker: roundMarker(input, judged),
    },
    notices: [...verdictNotice(input, verdict), ...roundHandoff(input, judged)],
    status: statusOfRound(draft, judgement),
    forgeVerdict: decideForgeVerdict({ policy: policy.forgeVerdict, verdict, currentHead }),
  };
};

/** What the round adds to what the summary remembers. */
const roundMarker = (input: RoundPlanInput, { remembered, ledger }: JudgedDraft): SummaryMarker => {
  const { history, run, draft, gated } = input;
  const reviewed = {
    head: draft.head,
    base: draft.base,
    ...otherBasesOf(draft),
    target: run.target,
    targetHead: draft.targetHead,
    rules: draft.rules,
    fingerprint: draft.patchFingerprint,
    round: draft.round,
    ...remembered,
    ...(draft.coverage.complete && unverifiedAfter(gated).length === 0 ? {} : { complete: false }),
    ...(draft.seenBy === undefined ? {} : { seenBy: draft.seenBy }),
  };
  const placesAt = placesAfter(history, draft);
  return {
    ...withCap(summaryMarker(input, run), draft.repository?.maxRounds ?? null),
    base: draft.base,
    phase: 'posted',
    superseded: 0,
    verdict: remembered.verdict,
    reviewed: [...history.reviewed, reviewed],
    ledger: ledger.entries,
    ...(placesAt === undefined ? {} : { placesAt }),
    spent: addSpent(history.spent, draft.spent),
    nextId: Math.max(
      history.nextNumber - 1,
      ...[...gated.accepted, ...gated.unverified].map(({ id }) => findingNumber(id)),
    ),
  };
};

/** Said anew in every round, also that there is none any more. */
const withCap = ({ cap: _before, ...marker }: SummaryMarker, cap: number | null): SummaryMarker =>
  cap === null ? marker : { ...marker, cap };

/** A head that has no verdict, or none yet, has no approval either, not even one that an earlier head has earned. */
export const withoutRound = (policy: Policy): PostPlan['forgeVerdict'] =>
  decideForgeVerdict({ policy: policy.forgeVerdict, verdict: null, currentHead: true });

/** Edits of the summary notify nobody: a later round that changes the verdict says so in a short new comment. */
const verdictNotice = ({ history, run, facts }: RoundPlanInput, verdict: Verdict): PostPlan['notices'] => {
  if (history.verdict === null || history.verdict === verdict) return [];
  const marker = { ...markerBase(facts, run), kind: 'notice' as const, head: run.head, verdict };
  return [
    {
      marker,
      text: `Round ${run.round}: the verdict is now \`${verdict}\` (was \`${history.verdict}\`).`,
      mention: false,
    },
  ];
};

export type CapInput = { readonly input: Input; readonly cap: Cap; readonly noticeId: RunId };

export const buildCapPlan = (context: PlanContext, { input, cap, noticeId }: CapInput): FullPlan => {
  const of = { runId: noticeId, ...input, round: Math.max(1, context.history.roundsDone), attempt: 1 };
  const text = capText(input.head, cap, context.policy.rounds);
  const kept = context.history.summary?.marker;
  return {
    ...emptyPlan(context, of, 'cap'),
    planId: `${noticeId}-cap`,
    summary: {
      text,
      marker: {
        ...summaryMarker(context, of),
        // `posted` says that its round is complete.
        phase: context.history.roundsDone === 0 || kept?.phase === 'reviewing' ? 'failed' : 'posted',
        verdict: 'inconclusive',
      },
    },
    notices: [handoff(context, of, { reason: CAP_CODES[cap], text })],
    status: { state: 'error', description: cutDescription(`No verdict: ${CAP_CODES[cap]}`) },
    forgeVerdict: withoutRound(context.policy),
  };
};

/** A run, or what takes its place in a marker. */
export type RunRef = Pick<Run, 'runId' | 'round' | 'attempt'> & Input;

export const emptyPlan = (
  { facts }: PlanContext,
  run: RunRef,
  kind: PostPlan['kind'],
): Omit<PostPlan, 'planId' | 'summary' | 'status'> => ({
  v: 1,
  kind,
  changeRequest: facts.changeRequest,
  runId: run.runId,
  head: run.head,
  target: run.target,
  mergeBase: run.base,
  base: null,
  targetHead: run.targetHead,
  sourceBranch: facts.sourceBranch,
  allowStale: false,
  inline: [],
  replies: [],
  closures: [],
  notices: [],
  reactions: [],
  forgeVerdict: null,
});

export const markerBase = (facts: ChangeRequestFacts, run: RunRef) => ({
  cr: changeRequestKey(facts.changeRequest),
  round: run.round,
  attempt: run.attempt,
  run: run.runId,
});

/** What the summary remembers stays, whatever this plan is about. */
export const summaryMarker = ({ facts, history, counts }: PlanContext, run: RunRef): SummaryMarker => {
  const grants = Math.max(history.grants, counts?.granted ?? 0);
  const pauses = Math.max(history.pauses, counts?.pauses ?? 0);
  return {
    ...markerBase(facts, run),
    kind: 'summary',
    phase: 'posted',
    ...inputMarker(run),
    ...keptBy(history.summary?.marker),
    until: null,
    runs: history.runsUsed,
    superseded: history.supersededInRow,
    verdict: history.verdict,
    reviewed: [...history.reviewed],
    ledger: ledgerOf(history),
    spent: history.spent ?? addSpent(null, null),
    nextId: history.nextNumber - 1,
    ...(grants === 0 ? {} : { grants }),
    ...(pauses === 0 ? {} : { pauses }),
    ...(history.outages === 0 ? {} : { outages: history.outages }),
    ...(history.fixes.used === 0 ? {} : { fixes: history.fixes.used, fixRound: history.fixes.round }),
  };
};
