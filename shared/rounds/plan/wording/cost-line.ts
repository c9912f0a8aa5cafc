/** Writes the last line of the summary: what was spent, and what is left. */
import { type Counts, spentRuns } from '../../model/counts.ts';
import type { Policy } from '../../model/policy.ts';
import { addSpent, type Spent } from '../../../vocabulary/spent.ts';
import { counted } from './counted.ts';

export type CostLine = {
  /** What this review spent; null if it spent nothing. */
  readonly spent: Spent | null;
  /** What the change request spent before this review. */
  readonly before: Spent | null;
  /** The counts after this review. */
  readonly counts: Counts;
  readonly review: number;
  readonly policy: Pick<Policy, 'rounds' | 'costs'>;
};

export const dollars = (usd: number): string => {
  if (usd > 0 && usd < 0.005) return 'less than $0.01';
  return Number.isInteger(usd) ? `$${usd}` : `$${usd.toFixed(2)}`;
};

export const costLine = ({ spent, before, counts, review, policy }: CostLine): string => {
  const { max, maxRuns } = policy.rounds;
  const left = Math.max(0, maxRuns - spentRuns(counts));
  const progress = `review ${review} of ${review + left} · round ${Math.min(counts.roundsUsed, max)} of ${max}`;
  const money = policy.costs?.shown === true ? moneyWords(addSpent(before, spent), spent, policy.costs.limitUsd) : '';
  const line = money === '' ? progress : `${money} · ${progress}`;
  return `_${line.charAt(0).toUpperCase()}${line.slice(1)}_`;
};

const moneyWords = (total: Spent, spent: Spent | null, limitUsd: number): string => {
  if (total.costUsd === 0 && total.modelCalls === 0) return '';
  if (total.subscription === true && total.costUsd === 0) return subscriptionWords(total, spent);
  const now =
    spent === null || spent.modelCalls === 0
      ? ''
      : `Spent ${dollars(spent.costUsd)} in ${counted(spent.modelCalls, 'call')}; `;
  return `${now}this change request ${dollars(total.costUsd)} of ${dollars(limitUsd)}`;
};

const tokensIn = ({ inputTokens, outputTokens }: Spent): string =>
  `${(inputTokens + outputTokens).toLocaleString('en-US')} tokens`;

const subscriptionWords = (total: Spent, spent: Spent | null): string => {
  const now =
    spent === null || spent.modelCalls === 0
      ? ''
      : `Spent ${tokensIn(spent)} of a subscription in ${counted(spent.modelCalls, 'call')}; `;
  return `${now}this change request ${tokensIn(total)}`;
};
