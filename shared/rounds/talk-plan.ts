/** What the poster is to make true about answers between two rounds: their announcement, and what they came to. */
import { stripMarkers } from '../text/marker.ts';
import type { LedgerEntry, SummaryMarker } from '../text/marker-payload.ts';
import { emptyPlan, markerBase, type PlanContext, summaryMarker } from './build-plan.ts';
import { statusOf } from './round-status.ts';
import type { CiReading } from './ci.ts';
import type { ReviewDraft } from './draft.ts';
import type { PendingAnswer } from './facts.ts';
import { lastReviewed } from './fix-conditions.ts';
import { decideForgeVerdict } from './forge-verdict.ts';
import type { GateResult, Handled } from './gate.ts';
import type { ReviewedInput, Thread } from './history.ts';
import { compareInputs } from './input.ts';
import { ledgerAfter } from './ledger.ts';
import { plannedClosures, plannedReplies } from './plan-threads.ts';
import { handoff } from './plan-handoff.ts';
import type { PostPlan } from './post-plan.ts';
import { addSpent } from './spent.ts';
import type { Run } from './state.ts';
import { talkSummaryText, unansweredText } from './talk-text.ts';
import { type Judgement, judgeTalk, withChecks } from './verdict.ts';
import type { Spent, Verdict } from './vocabulary.ts';

type Announcement = { readonly run: Run; readonly runsUsed: number };

/** Readers see nothing of it: the verdict stands until the answers change it. The count stands on the forge before it. */
export const buildTalkAnnouncePlan = (context: PlanContext, { run, runsUsed }: Announcement): PostPlan => {
  const { policy } = context;
  const deadlineMs = run.deadlineMs - policy.postTimeoutMs + policy.runTimeoutMs;
  const marker: SummaryMarker = {
    ...summaryMarker(context, run),
    phase: 'reviewing',
    runs: runsUsed,
    until: Math.ceil(deadlineMs / 1000),
    ...(run.talk === undefined ? {} : { talk: run.talk }),
  };
  return {
    ...emptyPlan(context, run, 'talk_announce'),
    planId: `${run.runId}-announce`,
    summary: { text: textBefore(context) || ANSWERING, marker },
    status: null,
  };
};

const ANSWERING = '### Answers in threads\n\nThe bot is answering in the threads of its findings.';

const textBefore = ({ history }: PlanContext): string =>
  history.summary === null ? '' : stripMarkers(history.summary.comment.body).trim();

export type TalkPlanInput = PlanContext & {
  readonly run: Run;
  readonly draft: Pick<ReviewDraft, 'head' | 'spent'>;
  readonly gated: Pick<GateResult, 'handled'>;
  /** Of this head; absent or null when it does not matter. */
  readonly ci?: CiReading | null;
};

/** The verdict that these answers lead to. */
export const judgeAnswers = ({
  history,
  gated,
  ci = null,
}: Pick<TalkPlanInput, 'history' | 'gated' | 'ci'>): Judgement =>
  withChecks(judgeTalk(lastReviewed(history) ?? UNKNOWN, threadsAfter(history.threads, gated.handled)), { ci });

export const buildTalkPlan = (input: TalkPlanInput): PostPlan => {
  const after = concluded(input, judgeAnswers(input));
  return {
    ...emptyPlan(input, input.run, 'talk'),
    planId: `${input.run.runId}-round`,
    replies: plannedReplies(input),
    closures: plannedClosures(input),
    ...after,
  };
};

export type TalkFailure = { readonly code: string; readonly waiting: readonly PendingAnswer[] };

/** No run is left: what still waits goes to a human, thread by thread, and the verdict follows. */
export const buildTalkGiveUpPlan = (context: PlanContext, run: Run, { code, waiting }: TalkFailure): PostPlan => {
  const { history } = context;
  const left = history.threads.filter(
    ({ id, state }) => state === 'open' && waiting.some(({ findingId }) => findingId === id),
  );
  const handled = left.map((thread) => handedOver(thread, code));
  const input = { ...context, run, draft: { head: run.head, spent: NOTHING }, gated: { handled }, ci: null };
  const after = concluded(input, notBetter(judgeAnswers(input), history.verdict));
  const text = `Answers in ${left.map(({ id }) => id).join(', ')} wait for a human. ${unansweredText(code)}`;
  const call = left.length === 0 ? [] : [handoff(context, run, { reason: code, text })];
  return {
    ...emptyPlan(context, run, 'talk'),
    planId: `${run.runId}-failure`,
    replies: plannedReplies(input),
    ...after,
    notices: [...after.notices, ...call],
  };
};

/** What a half-posted talk has resolved may be enough for a pass, but nobody has looked at the whole. */
const notBetter = (judgement: Judgement, before: Verdict | null): Judgement =>
  judgement.verdict === 'lgtm' && before !== 'lgtm'
    ? { verdict: 'inconclusive', reasons: ['the answers could not be completed; a new review is needed'] }
    : judgement;

const NOTHING = addSpent(null, null);

/** By the system, not by a reviewer: the severity stays, and no stance was taken. */
const handedOver = (thread: Thread, code: string): Handled => ({
  thread,
  answer: {
    findingId: thread.id,
    stance: thread.stance,
    action: 'escalate',
    severity: thread.severity,
    body: unansweredText(code),
  },
  next: { ...thread, state: 'escalated', count: thread.count + 1 },
});

type Concluded = Pick<PostPlan, 'summary' | 'notices' | 'status' | 'forgeVerdict'>;

/** Summary, status and verdict as they must be with these threads. */
const concluded = (input: TalkPlanInput, judgement: Judgement): Concluded => {
  const { facts, history, policy, run, draft, gated } = input;
  const entry = lastReviewed(history);
  const threads = threadsAfter(history.threads, gated.handled);
  const { verdict } = judgement;
  const text = talkSummaryText({
    before: textBefore(input),
    head: run.head,
    round: run.round,
    maxRounds: policy.rounds.max,
    judgement,
    threads,
    answered: gated.handled.map(({ thread }) => thread.id),
    author: facts.author.login,
  });
  const ledger = ledgerAfter(history, run, { handled: gated.handled, accepted: [] });
  return {
    summary: { text, marker: talkMarker(input, { entry, verdict, ledger: ledger.entries, spent: draft.spent }) },
    notices: changeNotice(input, judgement),
    status: statusOf(verdict, judgement.reasons, run.round),
    forgeVerdict: decideForgeVerdict({ policy: policy.forgeVerdict, verdict, currentHead: true }),
  };
};

const UNKNOWN = { verdict: 'inconclusive' } as const;

const threadsAfter = (threads: readonly Thread[], handled: readonly Handled[]): readonly Thread[] =>
  threads.map((thread) => ({ ...thread, ...handled.find((each) => each.thread.id === thread.id)?.next }));

type Outcome = {
  readonly entry: ReviewedInput | null;
  readonly verdict: Verdict;
  readonly ledger: LedgerEntry[];
  readonly spent: Spent;
};

/** The round is the same one with another verdict. */
const talkMarker = (input: TalkPlanInput, { entry, verdict, ledger, spent }: Outcome): SummaryMarker => ({
  ...summaryMarker(input, input.run),
  verdict,
  reviewed: input.history.reviewed.map((each) =>
    isSame(each, entry) ? withVerdict(each, verdict, isOnlyCi(input, verdict)) : each,
  ),
  ledger,
  spent: addSpent(input.history.spent, spent),
});

const isOnlyCi = ({ history, gated, ci = null }: TalkPlanInput, verdict: Verdict): boolean =>
  ci !== null && verdict !== 'lgtm' && judgeAnswers({ history, gated, ci: null }).verdict === 'lgtm';

const withVerdict = ({ onlyCi: _before, ...entry }: ReviewedInput, verdict: Verdict, onlyCi: boolean): ReviewedInput =>
  onlyCi ? { ...entry, verdict, onlyCi } : { ...entry, verdict };

const isSame = (one: ReviewedInput, other: ReviewedInput | null): boolean =>
  other !== null && one.round === other.round && compareInputs(one, other) === 'same';

const changeNotice = (
  { facts, history, run, gated }: TalkPlanInput,
  { verdict, reasons }: Judgement,
): PostPlan['notices'] =>
  history.verdict === null || history.verdict === verdict
    ? []
    : [
        {
          marker: { ...markerBase(facts, run), kind: 'notice', head: run.head, verdict, between: true },
          text:
            `${gated.handled.length === 0 ? 'The' : 'After the answers in its threads the'} verdict is now ` +
            `\`${verdict}\` (was \`${history.verdict}\`): ` +
            `${reasons.join('; ')}.`,
          mention: false,
        },
      ];
