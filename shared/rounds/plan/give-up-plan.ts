/** No attempt is left: what the change request is told, and who is called. */
import { codeFence } from '../../text/code-fence.ts';
import { cutPoint } from '../../text/cut.ts';
import type { PlanContext } from '../model/plan-context.ts';
import { emptyPlan, markerBase, summaryMarker, withoutRound } from './empty-plan.ts';
import { mistakeIn } from './wording/mistake-words.ts';
import { handoff } from './plan-handoff.ts';
import { cutStatusText } from './wording/round-status.ts';
import type { FullPlan, PostPlan } from '../model/post-plan.ts';
import { type RuleFound, rulesFoundText } from '../model/rules-told.ts';
import type { Run } from '../model/run.ts';
import { giveUpText, rawText } from './wording/summary-text.ts';

export type Failure = {
  /** Of the error that ended the last attempt. */
  readonly code: string;
  /** What the model wrote last in that attempt, when no review could be read from it; null for nothing. */
  readonly lastWords: string | null;
  /** What the built-in rules found in that attempt. Absent: nothing is known. */
  readonly byRules?: readonly RuleFound[];
};

export const buildGiveUpPlan = (
  context: PlanContext,
  run: Run,
  { code, lastWords, byRules = [] }: Failure,
): FullPlan => {
  const failed = { head: run.head, code, attempts: context.policy.rounds.attempts };
  const { text, call } = giveUpText(failed, context.mention ?? 'bot');
  const found = rulesFoundText(byRules);
  return {
    ...emptyPlan(context, run, 'give_up'),
    planId: `${run.runId}-failure`,
    summary: {
      text: text + found,
      marker: { ...summaryMarker(context, run), phase: 'failed', verdict: 'inconclusive' },
    },
    notices: [handoff(context, run, { reason: code, text: call + found }), ...rawNotice(context, run, lastWords)],
    status: { state: 'error', description: cutStatusText(`Review failed: ${mistakeIn(code) ?? code}`) },
    forgeVerdict: withoutRound(context.policy),
  };
};

/** In UTF-16 units: enough to see what went wrong, and to find in it what may have been meant. */
const MAX_LAST_WORDS = 4_000;

/** In a code block of its own: nothing in it is to look as if the bot had said it. */
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
