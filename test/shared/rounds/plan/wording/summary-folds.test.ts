import { expect, test } from 'vitest';
import type { GateResult } from '../../../../../shared/rounds/model/gate-result.ts';
import { reviewedFold } from '../../../../../shared/rounds/plan/wording/summary-folds.ts';
import { NOTHING_SPENT } from '../../../../../shared/vocabulary/spent.ts';

const GATED: Pick<GateResult, 'dropped'> = { dropped: [] };

test.each<[string, readonly string[] | undefined, string]>([
  ['none', undefined, ''],
  [
    'some',
    ['nope.py', 'a|b.ts'],
    '\n\nThe reviewer also named files outside of the change as not reviewed: `nope.py`, `a\\|b.ts`.',
  ],
])('F-W11: names files outside of the change that the reviewer did not review: %s', (_name, notOfChange, text) => {
  const coverage = {
    files: 2,
    reviewed: 2,
    omitted: [],
    complete: true,
    ...(notOfChange ? { notOfChange: [...notOfChange] } : {}),
  };
  // The fold reads only the dropped findings of the gate's result.
  const fold = reviewedFold({ coverage, spent: NOTHING_SPENT }, GATED as GateResult, null);
  expect(fold?.text).toBe(`2 of 2 changed files reviewed without a model.${text}`);
});
