/** What guard knows again after Redis was lost. */
import { expect, it } from 'vitest';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import * as make from '../builders.ts';

const [FIRST, SECOND] = [make.sha('first'), make.sha('second')];

it.each<readonly [string, Partial<History>, unknown]>([
  ['nothing', {}, null],
  [
    'the last review',
    { reviewed: [make.reviewedAt(FIRST), make.reviewedAt(SECOND)] },
    { head: SECOND, target: 'main' },
  ],
  ['a head that was closed', { closed: [make.at(FIRST)] }, { head: FIRST, target: 'main' }],
  [
    'the last review before what was closed',
    { reviewed: [make.reviewedAt(SECOND)], closed: [make.at(FIRST)] },
    { head: SECOND, target: 'main' },
  ],
])('the status is taken to be at %s', (_what, patch, placed) => {
  expect(reconcile(null, make.history(patch)).placed).toEqual(placed);
});

it('a review with several merge bases is known with all of them', () => {
  const otherBases = [make.sha('other base')];
  const { reviewed } = reconcile(null, make.history({ reviewed: [make.reviewedAt(FIRST, { otherBases })] }));
  expect(reviewed).toEqual([{ ...make.at(FIRST), otherBases }]);
});
