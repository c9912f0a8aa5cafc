import { describe, expect, test } from 'vitest';
import { type LocalPlan, notFittingText, planText } from '../../../../services/cli/review/plan-text.ts';
import { isRefused } from '../../../../services/cli/review/review-plan.ts';
import { fitParts } from '../../../../services/reviewer/parts/price-parts.ts';

const FREE = { inputPerMTok: 0, outputPerMTok: 0, above: null, cache: { read: 0.1, write: 1.25, writeLong: 2 } };
const DEAR = { ...FREE, inputPerMTok: 10, outputPerMTok: 50 };

type Wish = Pick<LocalPlan, 'price' | 'budget'>;

const planOf = (count: number, { price, budget }: Wish): LocalPlan => {
  const parts = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    files: [],
    bytes: 150_000,
    changedLines: 2_000,
  }));
  const [maxParts, model] = [64, 'mine'];
  const fit = fitParts(parts, { price, budget, maxParts, maxOutputTokens: 16_384, lanes: 3 });
  return { model, price, budget, maxParts, parts, fit };
};

const ENOUGH = { tokens: 100_000_000, microUsd: 1_000_000_000 };

describe('a plan that does not fit', () => {
  test('in one part is not refused: the review may end early', () => {
    const plan = planOf(1, { price: FREE, budget: { ...ENOUGH, tokens: 100_000 } });
    expect(isRefused(plan)).toBe(false);
    expect(notFittingText(plan)).toMatch(
      /^The review may end before it is complete: it needs [\d,]+ tokens and \$0\.00, reservations included; the budget is 100,000 tokens and \$1000\.00: set --budget-tokens \d+0000$/,
    );
  });

  test('in several parts is refused, with each option that is too small', () => {
    const plan = planOf(3, { price: DEAR, budget: { tokens: 400_000, microUsd: 1_000_000 } });
    expect(isRefused(plan)).toBe(true);
    expect(notFittingText(plan)).toMatch(
      /, so \d parts? would be left out: set --budget-tokens \d+0000 and --budget-usd \d+, or review some files with --path$/,
    );
  });

  test('names no option whose value is enough', () => {
    expect(notFittingText(planOf(3, { price: DEAR, budget: { ...ENOUGH, microUsd: 1_000_000 } }))).toMatch(
      /would be left out: set --budget-usd \d+, or /,
    );
  });

  test.each([
    ['that is enough', ENOUGH],
    ['that is too small, too', { ...ENOUGH, tokens: 11_000_000 }],
  ])('because it has too many parts, with a budget %s, advises no budget', (_name, budget) => {
    const plan = planOf(68, { price: FREE, budget });
    expect(isRefused(plan)).toBe(true);
    expect(planText(plan)).toContain(
      '\nThe change has 68 parts, and a review has at most 64: review some files with --path\n',
    );
  });
});

test('the options that are advised make the plan fit', () => {
  const plan = planOf(5, { price: DEAR, budget: { tokens: 400_000, microUsd: 1_000_000 } });
  const [, tokens, usd] = /--budget-tokens (\d+) and --budget-usd (\d+)/.exec(notFittingText(plan)) ?? [];
  const budget = { tokens: Number(tokens), microUsd: Number(usd) * 1_000_000 };
  expect(planOf(5, { price: DEAR, budget }).fit.left).toEqual([]);
});
