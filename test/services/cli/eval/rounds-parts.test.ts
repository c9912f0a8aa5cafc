/** What a review over several pushes shows and may cost. */
import { expect, test } from 'vitest';
import { createCaseReviewers } from '../../../../services/cli/eval/case-reviewers.ts';
import { seenIn } from '../../../../services/cli/eval/rounds/seen-review.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { changeRequest, history, thread } from '../../../shared/rounds/builders.ts';

test('a thread is open until it is resolved or dismissed, and a claim that nobody could verify is no thread', () => {
  const states = ['open', 'vetoed', 'escalated', 'resolved', 'dismissed', 'unverified'] as const;
  const threads = states.map((state, index) => thread({ id: `F-00${index + 1}`, state }));
  const seen = seenIn(history({ threads }), inputOf(changeRequest()), 'Not reviewed: all attempts failed');
  expect(seen.threads.map(({ isOpen }) => isOpen)).toEqual([true, true, true, false, false]);
  expect(seen).toMatchObject({ verdict: 'inconclusive', notes: ['Not reviewed: all attempts failed'] });
});

test.each([
  [6, false],
  [5, false],
  [4.99, true],
  [0.01, true],
  [0.009, null],
])('with %f dollars left, a review is short: %s', async (leftUsd, expected) => {
  const budgets: number[] = [];
  const reviewerWith = (budgetUsd: number) => {
    budgets.push(budgetUsd);
    return { kind: 'rules' } as const;
  };
  const reviewers = createCaseReviewers({ leftUsd, reviewerWith });
  expect((await reviewers.next())?.isShort ?? null).toBe(expected);
  expect(budgets).toEqual(expected === null ? [] : [Math.min(leftUsd, 5)]);
  expect([await reviewers.spent(), reviewers.transcripts()]).toEqual([NOTHING_SPENT, []]);
});
