/** The verdict after answers in threads. */
import { expect, it } from 'vitest';
import { judgeThreads } from '../../../../shared/rounds/gate/verdict.ts';
import type { ReviewedInput, Thread } from '../../../../shared/rounds/model/history.ts';
import type { Verdict } from '../../../../shared/vocabulary/finding.ts';
import { thread } from '../builders.ts';

const DOUBT = 'the review of this head was not complete, or not everything in it could be verified';
const open = thread();
const resolved = thread({ state: 'resolved' });

it.each<readonly [Pick<ReviewedInput, 'verdict' | 'clear' | 'onlyCi'>, Thread, Verdict, string]>([
  [{ verdict: 'feedback', clear: true }, open, 'feedback', 'F-001 still blocks'],
  [{ verdict: 'feedback', clear: true }, thread({ state: 'vetoed' }), 'feedback', 'F-001 waits for a human and blocks'],
  [{ verdict: 'feedback', clear: true }, resolved, 'lgtm', 'nothing blocks any more'],
  [{ verdict: 'feedback' }, resolved, 'inconclusive', DOUBT],
  [{ verdict: 'inconclusive' }, open, 'inconclusive', DOUBT],
  [{ verdict: 'inconclusive', onlyCi: true }, open, 'feedback', 'F-001 still blocks'],
  [{ verdict: 'inconclusive', clear: true }, open, 'feedback', 'F-001 still blocks'],
  [{ verdict: 'inconclusive', clear: true }, resolved, 'lgtm', 'nothing blocks any more'],
])('after %j, a thread %# leads to %s', (review, one, verdict, reason) => {
  const judged = judgeThreads(review, [one]);
  expect([judged.verdict, judged.reasons[0]]).toEqual([verdict, reason]);
});
