import { isGrave, isUnverified, stillBlocks } from '../model/blocking.ts';
import { type CiReading, ciReason } from '../model/ci.ts';
import { type ExceededBudget, exceededText } from '../../vocabulary/exceeded.ts';
import type { GateResult, Left } from '../model/gate-result.ts';
import type { ReviewedInput, Thread } from '../model/history.ts';
import { anyFailed, type ValidationResult, validationReasons } from '../model/validations.ts';
import { languagesText } from '../../vocabulary/receipts.ts';
import type { FindingId } from '../../vocabulary/ids.ts';
import type { Verdict } from '../../vocabulary/finding.ts';
import type { Coverage } from '../../vocabulary/coverage.ts';

export type VerdictInput = {
  readonly coverage: Coverage;
  readonly gated: GateResult;
  /** False when the head moved on while a run that had to finish was at work. */
  readonly currentHead: boolean;
  /** More findings than the ledger holds: some may be forgotten. */
  readonly ledgerFull: boolean;
  /** The budget that ended the review before its end. */
  readonly exceeded: ExceededBudget | null;
  /** Absent or null: nobody waits for it, or it cannot matter. */
  readonly ci?: CiReading | null;
  /** What the operator's commands said about the head; absent or empty where none is configured. */
  readonly validations?: readonly ValidationResult[];
};

export type Judgement = { readonly verdict: Verdict; readonly reasons: readonly string[] };

/**
 * The only road to `lgtm` is a complete, current, parsed review without anything that blocks. What blocks makes
 * `feedback` even when the review is incomplete: the author can act on it.
 */
export const judgeRound = (input: VerdictInput): Judgement => {
  const { gated, exceeded } = input;
  const blocking = blockers(gated);
  if (exceeded !== null) {
    return {
      verdict: 'inconclusive',
      reasons: [`reviewer_budget_exceeded: ${exceededText(exceeded)} is used up`, ...blocking],
    };
  }
  if (blocking.length > 0) return { verdict: 'feedback', reasons: blocking };
  const doubts = doubtsOf(input);
  return doubts.length > 0
    ? { verdict: 'inconclusive', reasons: doubts }
    : withChecks({ verdict: 'lgtm', reasons: ['nothing blocks'] }, input);
};

type Checks = Pick<VerdictInput, 'ci' | 'validations'>;

/**
 * A pass needs what CI and the operator's commands have recorded for the head. Whoever broke it can act on that; what
 * nobody knows is no verdict.
 */
export const withChecks = (judgement: Judgement, { ci = null, validations = [] }: Checks): Judgement => {
  const reason = ciReason(ci);
  const reasons = [...validationReasons(validations), ...(reason === null ? [] : [reason])];
  if (judgement.verdict !== 'lgtm' || reasons.length === 0) return judgement;
  return { verdict: ci?.kind === 'failed' || anyFailed(validations) ? 'feedback' : 'inconclusive', reasons };
};

const doubtsOf = (input: VerdictInput): readonly string[] => [
  ...doubtsAboutReview(input),
  ...unverifiedReasons(unverifiedAfter(input.gated)),
];

/** Claims that are unverified after this review. */
export const unverifiedAfter = ({ unverified, standing }: GateResult): readonly FindingId[] => [
  ...standing.filter(isUnverified).map(({ id }) => id),
  ...unverified.map(({ id }) => id),
];

const unverifiedReasons = (ids: readonly FindingId[]): readonly string[] =>
  ids.length === 0 ? [] : [`nobody could verify ${ids.join(', ')}`];

const doubtsAboutReview = ({ coverage, currentHead, ledgerFull }: VerdictInput): readonly string[] => [
  ...(coverage.files > 0 ? [] : ['nothing to review: no file is changed']),
  ...(coverage.complete ? [] : [`${coverage.omitted.length} files were not reviewed`]),
  ...completeButNoPass(coverage),
  ...(currentHead ? [] : ['the head has moved on since']),
  ...(ledgerFull ? ['there are more findings than can be kept apart'] : []),
];

/** Why a review without a gap is no pass: whoever reads it learns the setting of the operator that decides it. */
export const completeButNoPass = ({ unknownLanguages = [], onlyExcluded }: Coverage): readonly string[] => [
  ...(unknownLanguages.length === 0
    ? []
    : [`no rule knows ${languagesText(unknownLanguages)}, and no model looked (\`review.unknown_languages\`)`]),
  ...(onlyExcluded === true ? ['every changed file is excluded from the review (`review.only_excluded`)'] : []),
];

/** Whether nothing but its threads and claims keeps this round from a pass: then talk and dismissals may lead to one. */
export const isClear = (input: VerdictInput): boolean =>
  input.exceeded === null &&
  doubtsAboutReview(input).length === 0 &&
  validationReasons(input.validations ?? []).length === 0;

/** After a talk at a reviewed head. What the round could not vouch for, no talk can. */
export const judgeThreads = (
  { verdict, clear, onlyCi }: Pick<ReviewedInput, 'verdict' | 'clear' | 'onlyCi'>,
  threads: readonly Pick<Thread, 'id' | 'state' | 'blocking' | 'severity'>[],
): Judgement => {
  const blocking = threads
    .filter(stillBlocks)
    .map(({ id, state }) => (state === 'open' ? `${id} still blocks` : `${id} waits for a human and blocks`));
  // CI is read again for whatever may pass; without it there is nothing that the round could not vouch for.
  if (verdict === 'inconclusive' && onlyCi !== true && clear !== true)
    return { verdict, reasons: [NOT_VOUCHED, ...blocking] };
  if (blocking.length > 0) return { verdict: 'feedback', reasons: blocking };
  const unverified = threads.filter(isUnverified).map(({ id }) => id);
  if (unverified.length > 0) return { verdict: 'inconclusive', reasons: unverifiedReasons(unverified) };
  if (clear === true) return { verdict: 'lgtm', reasons: ['nothing blocks any more'] };
  return { verdict: 'inconclusive', reasons: [NOT_VOUCHED] };
};

const NOT_VOUCHED = 'the review of this head was not complete, or not everything in it could be verified';

const WHY_LEFT: Readonly<Record<Left['why'], string>> = {
  not_looked_at: 'was not looked at',
  waits: 'waits until its lines change or somebody answers',
  half_posted: 'was posted by an attempt that did not end',
};

const blockers = (gated: GateResult): readonly string[] => [
  ...gated.accepted.filter(({ blocking }) => blocking).map(({ id }) => `${id} is new and blocks`),
  ...gated.handled
    .filter(({ thread, next }) => next.state !== 'resolved' && (thread.blocking || isGrave(next.severity)))
    .map(({ thread }) => `${thread.id} still blocks`),
  ...gated.left
    .filter(({ thread }) => thread.blocking || isGrave(thread.severity))
    .map(({ thread: { id }, why }) => `${id} ${WHY_LEFT[why]} and blocks`),
  ...gated.standing.filter(stillBlocks).map((thread) => `${thread.id} waits for a human and blocks`),
];
