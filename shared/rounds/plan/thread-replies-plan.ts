import { readSummaryBody } from '../memory/read-summary-body.ts';
import type { SummaryBody } from '../model/posting/post-plan.ts';
import type { LedgerEntry, SummaryMarker } from '../model/marker-payload.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { announcedUntil, announcementOf } from './announcement-of.ts';
import { emptyPlan, markerBase, summaryMarker } from './empty-plan.ts';
import { statusOf } from './wording/review-status.ts';
import type { CiReading } from '../model/ci.ts';
import type { PendingAnswer } from '../model/facts.ts';
import { lastReviewed, type ReviewedInput, type Thread } from '../model/history.ts';
import { decideForgeVerdict } from '../gate/forge-verdict.ts';
import type { Handled } from '../model/gate-result.ts';
import { compareInputs } from '../model/input.ts';
import { ledgerAfter } from '../memory/ledger.ts';
import { type AnswerInput, plannedClosures, plannedReplies } from './plan-threads.ts';
import { handoff } from './plan-handoff.ts';
import { itemsOf } from './wording/item.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../vocabulary/spent.ts';
import type { ReevaluateRun, ReplyRun } from '../model/run.ts';
import { keptRest } from './wording/summary-comment.ts';
import { repliesSummary, unansweredText } from './wording/thread-replies-text.ts';
import { judgeReplies, threadsAfter } from '../gate/judge-replies.ts';
import type { Judgement } from '../gate/verdict.ts';
import type { Verdict } from '../../vocabulary/finding.ts';

type Announcement = { readonly run: ReplyRun; readonly runsUsed: number };

/** Only changes the marker, so that the run is counted before it starts. The verdict stays the same. */
export const buildRepliesAnnouncePlan = (context: PlanContext, { run, runsUsed }: Announcement): PostPlan => {
  const until = announcedUntil(run, context.policy);
  const { supersededInRow: superseded, summary } = context.history;
  const marker: SummaryMarker = {
    ...summaryMarker(context, run),
    phase: 'reviewing',
    runs: runsUsed,
    until,
    replies: run.scope,
  };
  return {
    ...emptyPlan(context, run, 'replies_announce'),
    planId: `${run.runId}-announce`,
    summary: { ...(summary === null ? ANSWERING : readSummaryBody(summary.comment.body)), marker },
    announcement: announcementOf(run, { runs: runsUsed, superseded, until, replies: run.scope }),
    status: null,
  };
};

const ANSWERING: SummaryBody = {
  text: '**Answers in threads**\n\nThe bot is answering in the threads of its findings.',
};

export type RepliesPlanInput = PlanContext & {
  readonly run: ReplyRun | ReevaluateRun;
  readonly handled: readonly Handled[];
  readonly spent: Spent;
  /** The CI result of this head. Absent or null if CI does not matter. */
  readonly ci?: CiReading | null;
};

export const buildRepliesPlan = (input: RepliesPlanInput): PostPlan => {
  const after = concluded(input, judgeReplies(input));
  return {
    ...emptyPlan(input, input.run, 'replies'),
    planId: `${input.run.runId}-review`,
    replies: plannedReplies(answersOf(input)),
    closures: plannedClosures(answersOf(input)),
    ...after,
  };
};

export type RepliesFailure = { readonly code: string; readonly waiting: readonly PendingAnswer[] };

/** Builds the plan for when no run is left: each pending thread is handed to a human, and the verdict is updated. */
export const buildRepliesGiveUpPlan = (
  context: PlanContext,
  run: ReplyRun | ReevaluateRun,
  { code, waiting }: RepliesFailure,
): PostPlan => {
  const { history } = context;
  const left = history.threads.filter(
    ({ id, state }) => state === 'open' && waiting.some(({ findingId }) => findingId === id),
  );
  const handled = left.map((thread) => handedOver(thread, code));
  const input = { ...context, run, handled, spent: NOTHING_SPENT, ci: null };
  const after = concluded(input, notBetter(judgeReplies(input), history.verdict));
  const text = `**A person has to answer.** ${left.map(({ id }) => id).join(', ')} got no answer. ${unansweredText(code)}`;
  const call =
    left.length === 0
      ? []
      : [handoff(context, run, { reason: code, text, items: itemsOf(threadsAfter(history.threads, handled)) })];
  return {
    ...emptyPlan(context, run, 'replies'),
    planId: `${run.runId}-failure`,
    replies: plannedReplies(answersOf(input)),
    ...after,
    notices: [...after.notices, ...call],
  };
};

/**
 * If a reply run was posted only in part, enough threads may be resolved for a pass. It still does not pass, because
 * the change as a whole was not judged.
 */
const notBetter = (judgement: Judgement, before: Verdict | null): Judgement =>
  judgement.verdict === 'lgtm' && before !== 'lgtm'
    ? { verdict: 'inconclusive', reasons: ['the answers could not be completed; a new review is needed'] }
    : judgement;

const answersOf = ({ run, handled, ...context }: RepliesPlanInput): AnswerInput => ({
  ...context,
  run,
  draft: { head: run.head },
  gated: { handled },
});

/** The thread is escalated by guard, not by a reviewer, so severity and stance stay the same. */
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

const concluded = (input: RepliesPlanInput, judgement: Judgement): Concluded => {
  const { facts, history, policy, run, handled, spent } = input;
  const entry = lastReviewed(history);
  const threads = threadsAfter(history.threads, handled);
  const { verdict } = judgement;
  const body = repliesSummary({
    kept: keptRest(history),
    head: run.head,
    judgement,
    threads,
    answered: handled.map(({ thread }) => thread.id),
    author: facts.author.login,
    mention: input.mention,
    cost: { spent, before: history.spent, counts: history, review: run.review, policy },
  });
  const ledger = ledgerAfter(history, run, { handled, accepted: [] });
  return {
    summary: { ...body, marker: talkMarker(input, { entry, verdict, ledger: ledger.entries, spent }) },
    notices: changeNotice(input, judgement),
    status: statusOf(verdict, judgement.reasons),
    forgeVerdict: decideForgeVerdict({ policy: policy.forgeVerdict, verdict, currentHead: true }),
  };
};

type Outcome = {
  readonly entry: ReviewedInput | null;
  readonly verdict: Verdict;
  readonly ledger: LedgerEntry[];
  readonly spent: Spent;
};

const talkMarker = (input: RepliesPlanInput, { entry, verdict, ledger, spent }: Outcome): SummaryMarker => ({
  ...summaryMarker(input, input.run),
  verdict,
  reviewed: input.history.reviewed.map((each) =>
    isSame(each, entry) ? withVerdict(each, verdict, isOnlyCi(input, verdict)) : each,
  ),
  ledger,
  spent: addSpent(input.history.spent, spent),
});

const isOnlyCi = ({ history, handled, ci = null }: RepliesPlanInput, verdict: Verdict): boolean =>
  ci !== null && verdict !== 'lgtm' && judgeReplies({ history, handled, ci: null }).verdict === 'lgtm';

const withVerdict = ({ onlyCi: _before, ...entry }: ReviewedInput, verdict: Verdict, onlyCi: boolean): ReviewedInput =>
  onlyCi ? { ...entry, verdict, onlyCi } : { ...entry, verdict };

const isSame = (one: ReviewedInput, other: ReviewedInput | null): boolean =>
  other !== null && one.review === other.review && compareInputs(one, other) === 'same';

const changeNotice = (
  { facts, history, run, handled }: RepliesPlanInput,
  { verdict }: Judgement,
): PostPlan['notices'] =>
  history.verdict !== 'feedback' || verdict !== 'lgtm'
    ? []
    : [
        {
          marker: { ...markerBase(facts, run), kind: 'notice', head: run.head, verdict, between: true },
          text: `Nothing blocks merging any more${handled.length === 0 ? '' : ', after the answers in the threads'}. The summary is up to date.`,
          mention: false,
        },
      ];
