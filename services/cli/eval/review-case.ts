/** One review of one case, as `fixpoint review` does it, turned into a result. Failures of a case are results. */
import type { EvalCase } from '../../../shared/eval/case.ts';
import type { EvalFinding, EvalResult } from '../../../shared/eval/result.ts';
import { AppError } from '../../../shared/errors.ts';
import { type LocalReviewer, spentBy } from '../review/local-runners.ts';
import { LocalReviewFailedError } from '../review/review-failure.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { reviewWith } from '../review/review-request.ts';
import { buildChange, type BuildPlace } from './build/build-change.ts';

export type CaseReview = {
  readonly case: EvalCase;
  readonly repeat: number;
  readonly reviewer: LocalReviewer;
  readonly place: BuildPlace;
  readonly configPath?: string | undefined;
  /** True if the budget of the run leaves less for this review than a review may cost. */
  readonly isShort: boolean;
  /** Contract: must not throw. */
  readonly onNotice: (line: string) => void;
};

/** The review of a case ended early because of the other cases, so it says nothing about the reviewer. */
export const RAN_OUT = 'BUDGET_EXCEEDED';
const RAN_OUT_TEXT = 'the budget of the run ended during this review';

/** @throws LocalReviewFailedError if the provider rejects the key or the model, because every other case would fail too; the signal's reason */
export const reviewCase = async (review: CaseReview, signal: AbortSignal): Promise<EvalResult> => {
  const { case: of, repeat, reviewer } = review;
  const named = { caseId: of.id, repeat };
  try {
    const output = await reviewBuilt(review, signal);
    if (review.isShort && output.exceeded?.budget === 'money')
      return { kind: 'failed', ...named, code: RAN_OUT, message: RAN_OUT_TEXT, spent: output.spent };
    return { kind: 'reviewed', ...named, ...resultOf(output) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LocalReviewFailedError && error.output !== null) throw error;
    if (!(error instanceof AppError)) throw error;
    return { kind: 'failed', ...named, code: error.code, message: error.message, spent: await spentBy(reviewer) };
  }
};

const reviewBuilt = async (
  { case: of, reviewer, place, configPath, onNotice }: CaseReview,
  signal: AbortSignal,
): Promise<ReviewOutput> => {
  const { directory, base, head } = await buildChange(of, place, signal);
  return reviewWith(reviewer, {
    workspacePath: directory,
    base,
    head,
    about: { title: of.title, description: of.description },
    configPath,
    onProgress: () => {},
    onNotice,
    signal,
  });
};

const findingOf = (finding: ReviewOutput['findings'][number]): EvalFinding => {
  const { path, side, startLine, line, severity, title, body, evidence, rule } = finding;
  return { path, side, startLine, line, severity, title, body, evidence, rule };
};

const resultOf = ({ verdict, summary, findings, coverage, spent }: ReviewOutput) => ({
  verdict,
  findings: findings.map(findingOf),
  changedLines: (coverage.receipts ?? []).reduce((sum, { lines }) => sum + lines, 0),
  // The last line of the summary has the verdict and its reasons.
  notes: verdict === 'inconclusive' ? [summary.split('\n').at(-1) ?? ''] : [],
  spent,
});
