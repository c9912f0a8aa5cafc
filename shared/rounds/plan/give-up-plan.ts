import { codeFence } from '../../text/code-fence.ts';
import { cutPoint } from '../../text/cut.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, markerBase, summaryMarker, withoutReview } from './empty-plan.ts';
import { mistakeIn } from './wording/mistake-words.ts';
import { handoff } from './plan-handoff.ts';
import { cutStatusText, inShort } from './wording/status-words.ts';
import type { FullPlan, PostPlan } from '../model/posting/post-plan.ts';
import { type RuleFound, rulesFoundText } from '../model/posting/rules-told.ts';
import type { Run } from '../model/run.ts';
import { giveUpText, rawText, withFindings } from './wording/other-summaries.ts';

export type Failure = {
  readonly code: string;
  /** The last model output of that attempt if no review could be parsed from it; otherwise null. */
  readonly lastWords: string | null;
  /** Findings of the built-in rules in that attempt; absent if they are unknown. */
  readonly byRules?: readonly RuleFound[];
};

export const buildGiveUpPlan = (
  context: PlanContext,
  run: Run,
  { code, lastWords, byRules = [] }: Failure,
): FullPlan => {
  const failed = { head: run.head, code, attempts: context.policy.rounds.attempts };
  const { text, call } = giveUpText(failed, context.mention ?? 'bot');
  return {
    ...emptyPlan(context, run, 'give_up'),
    planId: `${run.runId}-failure`,
    summary: {
      ...withFindings(text + rulesFoundText(byRules), context.history, context.mention),
      marker: { ...summaryMarker(context, run), phase: 'failed', verdict: 'inconclusive' },
    },
    notices: [handoff(context, run, { reason: code, text: call }), ...rawNotice(context, run, lastWords)],
    status: {
      state: 'error',
      description: cutStatusText(`Not reviewed: ${inShort(mistakeIn(code) ?? 'all attempts failed')}`),
    },
    forgeVerdict: withoutReview(context.policy),
  };
};

/** Limit in UTF-16 units; enough to see what went wrong. */
const MAX_LAST_WORDS = 4_000;

/** The output is posted as a code block, so that nothing in it looks like a statement by the bot. */
const rawNotice = ({ facts }: PlanContext, run: Run, lastWords: string | null): PostPlan['notices'] => {
  if (lastWords === null || lastWords.trim() === '') return [];
  const shown = lastWords.slice(0, cutPoint(lastWords, MAX_LAST_WORDS));
  return [
    {
      marker: { ...markerBase(facts, run), kind: 'raw', head: run.head },
      text: rawText({ head: run.head, block: codeFence(shown), missing: lastWords.length - shown.length }),
      mention: false,
    },
  ];
};
