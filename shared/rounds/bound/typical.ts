/** Computes the typical cost of one review and of one change request: the medians of the measured values. */
import type { SummaryMarker } from '../model/marker-payload.ts';

export type TypicalCost = {
  /** Change requests with at least one completed review. */
  readonly changeRequests: number;
  /** Medians for one review. */
  readonly review: Measured;
  /** Medians for one change request so far. */
  readonly changeRequest: Measured & { readonly reviews: number; readonly rounds: number; readonly findings: number };
};

type Measured = {
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
};

type Remembered = Pick<SummaryMarker, 'spent' | 'reviewed' | 'rounds' | 'ledger'>;

/** Returns null if no review was completed. A carried verdict is not a review. */
export const typicalCost = (summaries: readonly Remembered[]): TypicalCost | null => {
  const all = summaries.map((each) => ({ ...each, reviews: reviewsIn(each) })).filter(({ reviews }) => reviews > 0);
  if (all.length === 0) return null;
  const of = (value: (each: (typeof all)[number]) => number): number => median(all.map(value));
  return {
    changeRequests: all.length,
    review: {
      modelCalls: of(({ spent, reviews }) => spent.modelCalls / reviews),
      inputTokens: of(({ spent, reviews }) => spent.inputTokens / reviews),
      outputTokens: of(({ spent, reviews }) => spent.outputTokens / reviews),
      costUsd: of(({ spent, reviews }) => spent.costUsd / reviews),
    },
    changeRequest: {
      reviews: of(({ reviews }) => reviews),
      rounds: of(({ rounds = 0 }) => rounds),
      findings: of(({ ledger }) => ledger.length),
      modelCalls: of(({ spent }) => spent.modelCalls),
      inputTokens: of(({ spent }) => spent.inputTokens),
      outputTokens: of(({ spent }) => spent.outputTokens),
      costUsd: of(({ spent }) => spent.costUsd),
    },
  };
};

const reviewsIn = ({ reviewed }: Remembered): number => new Set(reviewed.map(({ review }) => review)).size;

/** For an even number of values, returns the mean of the middle two. */
const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
};

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

export const typicalText = (typical: TypicalCost | null): string => {
  if (typical === null) return 'Typical: no completed review is stored in Redis yet, so nothing was measured.\n';
  const { changeRequests, review, changeRequest } = typical;
  const spent = ({ modelCalls, inputTokens, outputTokens, costUsd }: Measured): string =>
    `${number(modelCalls)} model calls, ${number(inputTokens)} input and ${number(outputTokens)} output tokens, $${number(costUsd)}`;
  return [
    `Typical, as the median of ${changeRequests} change request${changeRequests === 1 ? '' : 's'} of the last 7 days:`,
    '',
    `one review          ${spent(review)}`,
    `one change request  ${spent(changeRequest)}`,
    `                    ${number(changeRequest.reviews)} reviews, ${number(changeRequest.rounds)} rounds, ${number(changeRequest.findings)} findings`,
    '',
  ].join('\n');
};
