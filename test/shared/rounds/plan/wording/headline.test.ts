import { describe, expect, test } from 'vitest';
import { headline } from '../../../../../shared/rounds/plan/wording/headline.ts';
import { itemOf } from '../../../../../shared/rounds/plan/wording/item.ts';
import type { Thread } from '../../../../../shared/rounds/model/history.ts';
import { thread } from '../../builders.ts';

const blocks = thread({});
const light = thread({ severity: 'P3', blocking: false });
const settled = thread({ state: 'escalated' });
const unsure = thread({ state: 'unverified' });
const done = thread({ state: 'resolved' });
const outside = thread({ outside: true });

describe('the first line of the summary', () => {
  test.each<['lgtm' | 'feedback' | 'inconclusive', readonly Thread[], readonly string[], string]>([
    ['lgtm', [], ['nothing blocks'], '**No problems found** in 2 files'],
    ['lgtm', [done], ['nothing blocks'], '**All findings are closed**'],
    ['lgtm', [light, light, done], ['nothing blocks'], '**Nothing blocks merging**, 2 suggestions'],
    ['lgtm', [outside], ['nothing blocks'], '**Nothing blocks merging**, 1 suggestion'],
    ['feedback', [blocks], ['F-001 is new and blocks'], '**1 problem to fix before merging**'],
    [
      'feedback',
      [blocks, blocks, settled, light],
      [],
      '**2 problems to fix before merging**, 1 problem for a person to decide, 1 suggestion',
    ],
    ['feedback', [settled], ['F-001 waits for a human and blocks'], '**1 problem for a person to decide**'],
    ['feedback', [light], ['CI has failed: `build`'], '**Not ready to merge**: CI has failed: `build`'],
    ['inconclusive', [], ['CI had not begun at this head yet'], '**No verdict**: CI had not begun at this head yet'],
    [
      'inconclusive',
      [unsure],
      ['nobody could verify F-001'],
      '**No verdict**: the review is not complete. Open: 1 claim not verified',
    ],
    [
      'inconclusive',
      [blocks],
      ['reviewer_budget_exceeded: the budget of one run ($5) is used up', 'F-001 is new and blocks'],
      '**No verdict**: the review stopped early, because the budget of one run ($5) was used up. Open: 1 problem to fix before merging',
    ],
  ])('for %s with %# says what to do', (verdict, threads, reasons, expected) => {
    const items = threads.map((each) => itemOf(each));
    expect(headline({ judgement: { verdict, reasons }, items, where: 'in 2 files' })).toBe(expected);
  });
});
