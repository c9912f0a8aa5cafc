import { isUnverified, stillBlocks } from '../model/blocking.ts';
import { type CiReading, ciReason } from '../model/ci.ts';
import { type ExceededBudget, exceededText } from '../../vocabulary/exceeded.ts';
import type { GateResult, Left } from '../model/gate-result.ts';
import type { ReviewedInput, Thread } from '../model/history.ts';
import { anyFailed, type ValidationResult, validationReasons } from '../model/validations.ts';
import { languagesText } from '../../vocabulary/receipts.ts';
import type { FindingId } from '../../vocabulary/ids.ts';
import type { Verdict } from '../../vocabulary/finding.ts';
import { calledFailed } from '../../vocabulary/analyzer.ts';
import type { Coverage } from '../../vocabulary/coverage.ts';

export type VerdictInput = {
  readonly coverage: Coverage;
  readonly gated: GateResult;
  /** False if the head moved during a run that had to finish. */
  readonly currentHead: boolean;
  /** True if there are more findings than the ledger holds, so some may be forgotten. */
  readonly ledgerFull: boolean;
  readonly exceeded: ExceededBudget | null;
  /** Absent or null if CI is not awaited or cannot matter. */
  readonly ci?: CiReading | null;
  readonly validations?: readonly ValidationResult[];
};

export type Judgement = { readonly verdict: Verdict; readonly reasons: readonly string[] };

/**
 * `lgtm` needs a complete, current review in which nothing blocks. If anything blocks, the verdict is `feedback`, even if
 * the review is incomplete.
 */
export const judgeReview = (input: VerdictInput): Judgement => {
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

/** Turns `lgtm` into `feedback` if CI or a validation failed, and into `inconclusive` if a result is unknown. */
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

export const unverifiedAfter = ({ unverified, standing }: GateResult): readonly FindingId[] => [
  ...standing.filter(isUnverified).map(({ id }) => id),
  ...unverified.map(({ id }) => id),
];

const unverifiedReasons = (ids: readonly FindingId[]): readonly string[] =>
  ids.length === 0 ? [] : [`nobody could verify ${ids.join(', ')}`];

const doubtsAboutReview = ({ coverage, currentHead, ledgerFull }: VerdictInput): readonly string[] => [
  ...(coverage.files > 0 ? [] : ['nothing to review: no file is changed']),
  ...(coverage.complete
    ? []
    : [`${coverage.omitted.length} ${coverage.omitted.length === 1 ? 'file was' : 'files were'} not reviewed`]),
  ...completeButNoPass(coverage),
  ...(coverage.analyzers ?? []).map((failed) => `${calledFailed(failed)} ${failed.reason}`),
  ...(currentHead ? [] : ['the head has changed since the review began']),
  ...(ledgerFull ? ['there are more findings than can be told apart'] : []),
];

/** Explains why a complete review does not pass, and names the operator's setting that decides this. */
export const completeButNoPass = ({ unknownLanguages = [], onlyExcluded }: Coverage): readonly string[] => [
  ...(unknownLanguages.length === 0
    ? []
    : [
        `no rule knows ${languagesText(unknownLanguages)}, and neither an analyzer nor a model looked (\`review.unknown_languages\`)`,
      ]),
  ...(onlyExcluded === true ? ['every changed file is excluded from the review (`review.only_excluded`)'] : []),
];

/** True if only threads and claims prevent a pass: then replies and dismissals can lead to a pass. */
export const isClear = (input: VerdictInput): boolean =>
  input.exceeded === null &&
  doubtsAboutReview(input).length === 0 &&
  validationReasons(input.validations ?? []).length === 0;

/** Computes the verdict after replies at a reviewed head. If the review itself was inconclusive, replies cannot lead to `lgtm`. */
export const judgeThreads = (
  { verdict, clear, onlyCi }: Pick<ReviewedInput, 'verdict' | 'clear' | 'onlyCi'>,
  threads: readonly Pick<Thread, 'id' | 'state' | 'blocking' | 'severity' | 'outside'>[],
): Judgement => {
  const blocking = threads
    .filter(stillBlocks)
    .map(({ id, state }) => (state === 'open' ? `${id} still blocks` : `${id} waits for a human and blocks`));
  // If `onlyCi` is set, only CI prevented a pass, and CI is read again for every verdict that may pass.
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
    .filter(({ thread, next }) => stillBlocks({ ...thread, ...next }))
    .map(({ thread }) => `${thread.id} still blocks`),
  ...gated.left
    .filter(({ thread }) => stillBlocks(thread))
    .map(({ thread: { id }, why }) => `${id} ${WHY_LEFT[why]} and blocks`),
  ...gated.standing.filter(stillBlocks).map((thread) => `${thread.id} waits for a human and blocks`),
];
