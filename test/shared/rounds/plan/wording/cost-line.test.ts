import { expect, test } from 'vitest';
import { costLine, dollars } from '../../../../../shared/rounds/plan/wording/cost-line.ts';
import { NO_COUNTS } from '../../../../../shared/rounds/model/counts.ts';
import { NOTHING_SPENT } from '../../../../../shared/vocabulary/spent.ts';
import { policy } from '../../builders.ts';

const spent = { ...NOTHING_SPENT, modelCalls: 12, costUsd: 0.31 };
const counts = { ...NO_COUNTS, runsUsed: 2, roundsUsed: 1 };
const of = (shown: boolean) => policy({ costs: { shown, limitUsd: 25 } }, { maxRuns: 12 });
const line = { spent, before: spent, counts, review: 2, policy: of(true) };

test('says what was spent and what is left', () => {
  expect(costLine(line)).toBe(
    '_Spent $0.31 in 12 calls; this change request $0.62 of $25 · review 2 of 12 · round 1 of 3_',
  );
  expect(costLine({ ...line, spent: null })).toBe('_This change request $0.31 of $25 · review 2 of 12 · round 1 of 3_');
});

test('says that a subscription paid, and no money', () => {
  const paid = { ...NOTHING_SPENT, modelCalls: 3, inputTokens: 12_000, outputTokens: 345, subscription: true } as const;
  expect(costLine({ ...line, spent: paid, before: null })).toBe(
    '_Spent 12,345 tokens of a subscription in 3 calls; this change request 12,345 tokens · review 2 of 12 · round 1 of 3_',
  );
  // Money that was spent before the subscription is still shown.
  expect(costLine({ ...line, spent: paid })).toContain('this change request $0.31 of $25');
});

test('says nothing about money where nothing was spent, or the operator does not want it', () => {
  const bare = '_Review 2 of 12 · round 1 of 3_';
  expect(costLine({ ...line, policy: of(false) })).toBe(bare);
  expect(costLine({ ...line, policy: policy({}, { maxRuns: 12 }) })).toBe(bare);
  expect(costLine({ ...line, spent: NOTHING_SPENT, before: null })).toBe(bare);
});

test('counts a silent review as one that is left', () => {
  expect(costLine({ ...line, policy: of(false), counts: { ...counts, silentReviews: 1 } })).toBe(
    '_Review 2 of 13 · round 1 of 3_',
  );
});

test('writes amounts as people do', () => {
  expect([0, 0.004, 0.005, 0.5, 25, 1234.5].map(dollars)).toEqual([
    '$0',
    'less than $0.01',
    '$0.01',
    '$0.50',
    '$25',
    '$1234.50',
  ]);
});
