import { expect, it } from 'vitest';
import { typicalCost, typicalText } from '../../../../shared/rounds/bound/typical.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { entry } from '../../text/marker-fixture.ts';
import { reviewedAt, sha } from '../builders.ts';

const summary = (reviews: number, modelCalls: number) => ({
  spent: {
    ...NOTHING_SPENT,
    modelCalls,
    inputTokens: 1_000 * modelCalls,
    outputTokens: 10 * modelCalls,
    costUsd: modelCalls / 100,
  },
  reviewed: Array.from({ length: reviews }, (_, index) => reviewedAt(sha(`head ${index}`), { review: index + 1 })).map(
    ({ otherBases: _none, ...each }) => each,
  ),
  rounds: Math.min(reviews, 2),
  ledger: [],
});

it('is the median, of one review and of one change request, and not the mean', () => {
  expect(typicalCost([summary(1, 6), summary(2, 8), summary(4, 400)])).toEqual({
    changeRequests: 3,
    review: { modelCalls: 6, inputTokens: 6_000, outputTokens: 60, costUsd: 0.06 },
    changeRequest: {
      reviews: 2,
      rounds: 2,
      findings: 0,
      modelCalls: 8,
      inputTokens: 8_000,
      outputTokens: 80,
      costUsd: 0.08,
    },
  });
});

it('counts the findings of each change request', () => {
  const found = (count: number) => ({
    ...summary(1, 6),
    ledger: Array.from({ length: count }, () => entry()),
  });
  expect(typicalCost([found(1), found(4), found(9)])?.changeRequest.findings).toBe(4);
});

it('takes the mean of the two in the middle, and counts a carried verdict as no review', () => {
  const carried = summary(1, 4);
  const twice = { ...carried, reviewed: [...carried.reviewed, ...carried.reviewed] };
  expect(typicalCost([twice, summary(1, 8)])?.review.modelCalls).toBe(6);
});

it('says that nothing was measured where no review was completed', () => {
  expect(typicalCost([summary(0, 0)])).toBeNull();
  expect(typicalText(null)).toContain('nothing was measured');
  expect(typicalText(typicalCost([summary(2, 8)]))).toBe(
    [
      'Typical, as the median of 1 change request of the last 7 days:',
      '',
      'one review          4 model calls, 4,000 input and 40 output tokens, $0.04',
      'one change request  8 model calls, 8,000 input and 80 output tokens, $0.08',
      '                    2 reviews, 2 rounds, 0 findings',
      '',
    ].join('\n'),
  );
});
