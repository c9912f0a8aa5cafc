/** Builds the plan for a carried verdict: summary and status. Nothing is posted twice. */
import type { PlanContext } from '../model/posting/plan-context.ts';
import { countsMarker, emptyPlan, markerBase, summaryMarker } from './empty-plan.ts';
import { carriedStatus } from './wording/review-status.ts';
import type { Carried } from '../model/carried.ts';
import { findCarried, validationsOf } from '../gate/judge-carried.ts';
import type { CiReading } from '../model/ci.ts';
import { shortSha } from './wording/finding-text.ts';
import { decideForgeVerdict } from '../gate/forge-verdict.ts';
import type { ReviewedInput } from '../model/history.ts';
import type { FullPlan, PostPlan } from '../model/posting/post-plan.ts';
import type { ReviewRun } from '../model/run.ts';
import { ABOUT, keptRest, renderSummary } from './wording/summary-comment.ts';
import { costLine } from './wording/cost-line.ts';
import { headline } from './wording/headline.ts';
import { itemsOf } from './wording/item.ts';
import type { SummaryBody } from '../model/posting/post-plan.ts';
import { rememberedCommands, type ValidationResult, validationText } from '../model/validations.ts';
import { type Judgement, withChecks } from '../gate/verdict.ts';
import type { Verdict } from '../../vocabulary/finding.ts';

export type CarriedRun = {
  readonly run: ReviewRun;
  readonly carried: Carried;
  /** The CI result; null if CI does not matter. */
  readonly ci: CiReading | null;
};

/** Returns null if no verdict can be carried, or if it can no longer be carried. */
export const buildCarriedPlan = (context: PlanContext, { run, carried, ci }: CarriedRun): FullPlan | null => {
  const { history, policy } = context;
  const found = findCarried(history, carried);
  if (found === null) return null;
  const { entry, verdict } = found;
  const validations = validationsOf(entry, carried);
  const said = { verdict, reasons: [reasonFor(carried)] };
  const judgement = withChecks(said, { ci, validations });
  // A carried verdict belongs to the last review.
  const of = { ...run, review: Math.max(1, history.reviewsDone) };
  return {
    ...emptyPlan(context, of, 'carried'),
    planId: `${run.runId}-review`,
    base: carried.base,
    ...(carried.otherBases === undefined ? {} : { otherBases: carried.otherBases }),
    targetHead: carried.targetHead,
    summary: {
      ...carriedBody(context, { of, judgement, validations }),
      marker: carriedMarker(context, {
        of,
        carried,
        entry,
        verdict: judgement.verdict,
        heldBack: heldBackBy({ before: said, after: judgement, ci }),
      }),
    },
    notices: changeNotice(context, { of, judgement }),
    status: carriedStatus(judgement.verdict, howCarried(carried, of)),
    forgeVerdict: decideForgeVerdict({ policy: policy.forgeVerdict, verdict: judgement.verdict, currentHead: true }),
  };
};

const howCarried = ({ baseMoved, reviewedTarget }: Carried, { target }: ReviewRun): string => {
  if (reviewedTarget !== target) return 'as before, other target';
  return baseMoved ? 'as before, newer base' : 'same content';
};

const reasonFor = ({ reviewedHead, baseMoved }: Carried): string =>
  baseMoved
    ? `the same change as ${shortSha(reviewedHead)}, on a newer base`
    : `the same content as ${shortSha(reviewedHead)}`;

type HeldBack = { readonly before: Judgement; readonly after: Judgement; readonly ci: CiReading | null };

const heldBackBy = ({ before, after, ci }: HeldBack): Pick<ReviewedInput, 'onlyCi' | 'onlyChecks'> => {
  if (after.verdict === before.verdict) return {};
  const byCi = withChecks(before, { ci }).reasons;
  return after.reasons.every((reason) => byCi.includes(reason)) ? { onlyCi: true } : { onlyChecks: true };
};

type Outcome = { readonly of: ReviewRun; readonly judgement: Judgement };
type Told = Outcome & { readonly validations: readonly ValidationResult[] };

const carriedBody = (
  { facts, history, mention, policy }: PlanContext,
  { of, judgement, validations }: Told,
): SummaryBody => {
  const items = itemsOf(history.threads);
  const kept = keptRest(history);
  const notes = kept.notes.filter((note) => !isValidations(note));
  return renderSummary({
    headline: headline({ judgement, items }),
    about: `${ABOUT}${shortSha(of.head)}: the verdict of review ${of.review} applies, without a new review: ${judgement.reasons.join('; ')}.`,
    items,
    notes: [...notes, ...(validations.length === 0 ? [] : [validationText(validations)])],
    folds: kept.folds,
    foot: costLine({
      spent: null,
      before: history.spent,
      counts: of.countsAfter ?? history,
      review: of.review,
      policy,
    }),
    author: facts.author.login,
    mention,
  });
};

const VALIDATIONS = '#### Validations';

const isValidations = (note: string): boolean => note.startsWith(VALIDATIONS);

type Remembered = {
  readonly of: ReviewRun;
  readonly carried: Carried;
  readonly entry: ReviewedInput;
  readonly verdict: Verdict;
  readonly heldBack: Pick<ReviewedInput, 'onlyCi' | 'onlyChecks'>;
};

const carriedMarker = (
  context: PlanContext,
  { of, carried, entry, verdict, heldBack }: Remembered,
): FullPlan['summary']['marker'] => {
  const reviewed = {
    head: of.head,
    base: carried.base,
    ...(carried.otherBases === undefined ? {} : { otherBases: carried.otherBases }),
    target: of.target,
    targetHead: carried.targetHead,
    rules: carried.rules,
    fingerprint: carried.patchFingerprint,
    review: of.review,
    verdict,
    ...clearAfter(entry, heldBack),
    ...heldBack,
    ...rememberedCommands(carried.validations ?? []),
  };
  return {
    ...summaryMarker(context, of),
    base: carried.base,
    phase: 'posted',
    superseded: 0,
    ...(of.countsAfter === undefined ? {} : countsMarker(of.countsAfter)),
    verdict,
    reviewed: [...context.history.reviewed, reviewed],
  };
};

/** Replies read CI again but run no validation: a head with a failed validation is not `clear`. */
const clearAfter = (
  { clear, onlyChecks }: ReviewedInput,
  heldBack: Remembered['heldBack'],
): Pick<ReviewedInput, 'clear'> => {
  if (heldBack.onlyChecks === true) return {};
  if (onlyChecks === true) return { clear: true };
  return clear === undefined ? {} : { clear };
};

const changeNotice = ({ facts, history }: PlanContext, { of, judgement }: Outcome): PostPlan['notices'] => {
  const { verdict } = judgement;
  if (history.verdict !== 'feedback' || verdict !== 'lgtm') return [];
  const marker = { ...markerBase(facts, of), kind: 'notice' as const, head: of.head, verdict, between: true as const };
  const text = 'Nothing blocks merging any more. The summary is up to date.';
  return [{ marker, text, mention: false }];
};
