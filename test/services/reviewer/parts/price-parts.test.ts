import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimatePart, fitParts, type Fitting } from '../../../../services/reviewer/parts/price-parts.ts';
import { PRICES, priceOf } from '../../../../shared/agent/model/prices.ts';

const found = priceOf(PRICES, 'claude-sonnet-5-5');
if (found === null) throw new Error('no price');
const price = found;

const PART = { bytes: 190_000 };
const RICH: Fitting = {
  price,
  maxOutputTokens: 16_384,
  maxParts: 12,
  lanes: 3,
  budget: { tokens: 3_000_000, microUsd: 5_000_000 },
};

const parts = (count: number): readonly { readonly bytes: number; readonly at: number }[] =>
  Array.from({ length: count }, (_, at) => ({ ...PART, at }));

test('a part of the largest size costs some 200,000 tokens and less than half a dollar', () => {
  const { tokens, microUsd } = estimatePart(PART, price);
  expect([Math.round(tokens / 10_000), Math.round(microUsd / 10_000)]).toEqual([22, 25]);
});

test.each<[what: string, count: number, patch: Partial<Fitting>, chosen: number, why: string | undefined]>([
  ['the default budgets admit a change of 500 kB', 3, {}, 3, undefined],
  ['the default budgets admit all parts of a run', 12, {}, 12, undefined],
  ['more parts than a run may have', 14, {}, 12, 'max_parts'],
  ['too few tokens', 8, { budget: { tokens: 1_000_000, microUsd: 5_000_000 } }, 4, 'tokens'],
  ['too little money', 8, { budget: { tokens: 3_000_000, microUsd: 1_500_000 } }, 2, 'money'],
  ['nothing left', 2, { budget: { tokens: 0, microUsd: 0 } }, 0, 'tokens'],
])('%s', (_what, count, patch, chosen, why) => {
  const fit = fitParts(parts(count), { ...RICH, ...patch });
  expect([fit.chosen.length, fit.left[0]?.why]).toEqual([chosen, why]);
  expect([...fit.chosen, ...fit.left.map(({ part }) => part)].map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(
    parts(count).map(({ at }) => at),
  );
});

test('a smaller part fits where a larger one before it does not', () => {
  const large = { bytes: 190_000, name: 'large' };
  const small = { bytes: 2_000, name: 'small' };
  const fit = fitParts([large, small], { ...RICH, budget: { tokens: 100_000, microUsd: 5_000_000 } });
  expect(fit.chosen).toEqual([small]);
  expect(fit.left).toEqual([{ part: large, why: 'tokens' }]);
});

test('parts beyond the most that a run may have are left out, also where all before them are', () => {
  const sized = parts(70).map(({ at }) => ({ bytes: at < 69 ? 190_000 : 2_000, at }));
  const fit = fitParts(sized, { ...RICH, budget: { tokens: 100_000, microUsd: 5_000_000 } });
  expect(fit.chosen).toEqual([]);
  expect(fit.left.at(-1)).toEqual({ part: sized[69], why: 'max_parts' });
});

test('what is chosen fits the budget', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 100, max: 190_000 }), { maxLength: 20 }),
      fc.integer({ min: 0, max: 4_000_000 }),
      (sizes, tokens) => {
        const fitting = { ...RICH, budget: { tokens, microUsd: 5_000_000 } };
        const { chosen } = fitParts(
          sizes.map((bytes) => ({ bytes })),
          fitting,
        );
        expect(fitParts(chosen, fitting).chosen).toEqual(chosen);
        const estimated = chosen.reduce((sum, part) => sum + estimatePart(part, price).tokens, 0);
        expect(estimated).toBeLessThanOrEqual(Math.max(0, tokens));
      },
    ),
    { seed: 21 },
  );
});
