/** Builds the plans for outages: while the run waits, and after it has waited too long. */
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, markerBase, summaryMarker, withoutReview } from './empty-plan.ts';
import { MAX_OUTAGE_RETRIES, PENDING_DRAFT } from '../decide/decide-outage.ts';
import { shortSha } from './wording/finding-text.ts';
import { withFindings } from './wording/other-summaries.ts';
import type { OutageKind } from '../model/events.ts';
import { mistakeHelp, mistakeWords, OUTAGE_WORDS } from './wording/mistake-words.ts';
import type { FullPlan, PostPlan } from '../model/posting/post-plan.ts';
import { cutStatusText, inShort } from './wording/status-words.ts';
import { type RuleFound, rulesFoundText } from '../model/posting/rules-told.ts';
import type { Run } from '../model/run.ts';
import type { Effect } from '../model/effect.ts';
import type { RunId } from '../../vocabulary/ids.ts';

type Telling = {
  readonly run: Run;
  readonly what: OutageKind;
  readonly code: string;
  readonly noticeId: RunId;
};

/** This plan changes only a pending status. */
export const buildOutagePlan = (context: PlanContext, { run, what, code, noticeId }: Telling): PostPlan => ({
  ...emptyPlan(context, run, 'outage'),
  planId: `${noticeId}-outage`,
  summary: null,
  status: {
    state: 'pending',
    description: cutStatusText(
      code === PENDING_DRAFT
        ? "Waiting: submit or delete the bot's pending review here"
        : `Waiting: ${OUTAGE_WORDS[what]}`,
    ),
  },
});

type Parking = Pick<Effect & { readonly kind: 'give_up' }, 'run' | 'code'> & {
  readonly outage: NonNullable<(Effect & { readonly kind: 'give_up' })['outage']>;
  readonly byRules?: readonly RuleFound[];
};

const iso = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

const parkedText = ({ run, code, outage: { what, retry, untilMs } }: Parking, bot: string): string => {
  const head = shortSha(run.head);
  const lead = `**Not reviewed yet**: ${untilMs === null ? 'the configuration does not work' : OUTAGE_WORDS[what]}\n\n${head} could not be reviewed`;
  if (untilMs === null)
    return `${lead}: ${mistakeWords(code)} (\`${code}\`). ${mistakeHelp(code, bot)} Then restart Fixpoint or write \`@${bot} review\` to try again. This message says nothing about the code.`;
  return `${lead} for longer than a run may wait (\`${code}\`). The attempt was not counted. The review will be retried automatically at ${iso(untilMs)} (retry ${retry} of at most ${MAX_OUTAGE_RETRIES}). This message says nothing about the code.`;
};

const parkedStatus = ({ code, outage: { what, untilMs } }: Parking): string =>
  untilMs === null ? `Not reviewed: ${inShort(mistakeWords(code))}` : `Not reviewed yet: ${OUTAGE_WORDS[what]}`;

const calledText = ({ head }: Run): string =>
  `**Not reviewed yet.** ${shortSha(head)} could not be reviewed. The summary says why, and when the review will be retried.`;

/** The summary is edited at each retry. Only the first outage posts a comment, in which the operators are mentioned. */
export const buildParkedPlan = (context: PlanContext, parking: Parking): FullPlan => {
  const { run, outage, byRules = [] } = parking;
  const text = parkedText(parking, context.mention ?? 'bot') + rulesFoundText(byRules);
  const marker = { ...markerBase(context.facts, run), kind: 'notice' as const, head: run.head };
  return {
    ...emptyPlan(context, run, 'give_up'),
    planId: `${run.runId}-failure`,
    summary: {
      ...withFindings(text, context.history, context.mention),
      marker: {
        ...summaryMarker(context, run),
        phase: 'failed',
        verdict: 'inconclusive',
        outages: outage.retry,
        retryAt: outage.untilMs === null ? 0 : Math.ceil(outage.untilMs / 1000),
      },
    },
    notices:
      outage.retry > 1
        ? []
        : [
            {
              marker: { ...marker, verdict: 'inconclusive', between: true },
              text: calledText(run),
              mention: true,
            },
          ],
    status: { state: 'error', description: cutStatusText(parkedStatus(parking)) },
    forgeVerdict: withoutReview(context.policy),
  };
};
