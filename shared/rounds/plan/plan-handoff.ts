/** Plans hand-offs: one comment per episode. An episode ends with the next completed review. */
import type { PlanContext } from '../model/posting/plan-context.ts';
import type { RunRef } from './empty-plan.ts';
import type { ReviewPlanInput } from './review-plan-input.ts';
import { inputMarker } from '../model/input.ts';
import type { JudgedDraft } from '../gate/judge-draft.ts';
import { callForBlocking } from './person-call.ts';
import { handoffText } from './wording/handoff-text.ts';
import { type Item, itemsAfter, itemsOf } from './wording/item.ts';
import { VERDICT_WORDS } from './wording/other-summaries.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';
import { isHeldBySetting } from './wording/review-status.ts';
import { changeRequestKey } from '../../vocabulary/ids.ts';
import { stageOf } from '../model/counts.ts';
import { maxFixes } from '../model/fixes.ts';
import { asksForSomething } from '../model/gate-result.ts';
import type { Verdict } from '../../vocabulary/finding.ts';

type Call = {
  readonly reason: string;
  readonly text: string;
  /** Number of completed reviews. If absent, the number that the forge shows. */
  readonly episode?: number;
  /** Files of blocking findings, in addition to those that the forge already shows. */
  readonly paths?: readonly string[];
  /** The findings after the plan. If absent, those in the history. */
  readonly items?: readonly Item[];
};

export const handoff = (
  { facts, history, mention }: PlanContext,
  run: RunRef,
  { reason, text, episode = history.reviewsDone, items = itemsOf(history.threads), paths = [] }: Call,
): PostPlan['notices'][number] => ({
  marker: {
    cr: changeRequestKey(facts.changeRequest),
    review: run.review,
    attempt: run.attempt,
    run: run.runId,
    kind: 'handoff',
    episode,
    ...inputMarker(run),
    reason: reason.toLowerCase().slice(0, 64),
  },
  text: handoffText(text, items, mention),
  mention: true,
  calls: callForBlocking(history.threads, paths),
});

export const reviewHandoff = (input: ReviewPlanInput, { judgement, ledger }: JudgedDraft): PostPlan['notices'] => {
  if (ledger.full) return [fullLedgerHandoff(input)];
  const { verdict } = judgement;
  if (verdict === 'lgtm' || !asksForSomething(input.gated)) return [];
  if (isHeldBySetting(input.draft.coverage, judgement)) return [];
  const { roundsUsed } = input.run.countsAfter ?? input.history;
  if (roundsUsed >= input.policy.rounds.max) return [lastRoundHandoff(input, verdict)];
  return isUnfixable(input) && verdict === 'feedback' ? [fixesUsedHandoff(input)] : [];
};

/** True if this review checks the last allowed fix, so guard orders no fix for its findings. */
const isUnfixable = ({ history: { fixes, reviewsDone }, policy }: ReviewPlanInput): boolean =>
  policy.author.enabled && fixes.used >= maxFixes(policy) && fixes.review === reviewsDone && fixes.review > 0;

const lastRoundHandoff = (input: ReviewPlanInput, verdict: Verdict): PostPlan['notices'][number] =>
  handoff(input, input.run, {
    reason: 'max_rounds_exceeded',
    episode: input.run.review,
    paths: newlyBlocking(input),
    items: itemsAfter(input.gated, input.draft, input.history.threads),
    text:
      stageOf(input.history, input.policy.rounds) === 'closing'
        ? `**A person has to decide.** Review ${input.run.review} found more problems, and no round is left.`
        : `**A person has to decide.** Review ${input.run.review} used the last round ` +
          `(${input.policy.rounds.max} of ${input.policy.rounds.max}), and ended with: ${VERDICT_WORDS[verdict]}.`,
  });

const fixesUsedHandoff = (input: ReviewPlanInput): PostPlan['notices'][number] =>
  handoff(input, input.run, {
    reason: 'fixes_used_up',
    episode: input.run.review,
    items: itemsAfter(input.gated, input.draft, input.history.threads),
    text: '**A person has to decide.** Findings still block after the last automatic fix, and no further fix is allowed.',
  });

const fullLedgerHandoff = (input: ReviewPlanInput): PostPlan['notices'][number] =>
  handoff(input, input.run, {
    reason: 'ledger_full',
    episode: input.run.review,
    paths: newlyBlocking(input),
    items: itemsAfter(input.gated, input.draft, input.history.threads),
    text: '**A person has to decide.** This change request has more findings than the bot can tell apart. Split it into smaller change requests to have it reviewed.',
  });

const newlyBlocking = ({ gated }: ReviewPlanInput): readonly string[] =>
  gated.accepted.filter(({ blocking }) => blocking).map(({ finding }) => finding.claim.path);
