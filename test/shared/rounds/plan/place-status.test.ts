/** The status of a commit for which no more work is done. */
import { expect, it } from 'vitest';
import type { History } from '../../../../shared/rounds/model/history.ts';
import { lastWord } from '../../../../shared/rounds/plan/place-status.ts';
import * as make from '../builders.ts';

const HEAD = make.sha('head');
const OTHERWISE = { state: 'error', description: 'Not reviewed' } as const;
const entry = (verdict: 'feedback' | 'lgtm' | 'inconclusive', head = HEAD) => make.reviewedAt(head, { verdict });
const running = {
  ...make.at(HEAD),
  kind: 'review',
  run: 'r',
  runId: 'r',
  review: 2,
  attempt: 1,
  deadlineMs: 1,
} as const;

it.each<readonly [string, Partial<History>, boolean, string]>([
  ['passes as the head whose input passes', { reviewed: [entry('lgtm')] }, true, 'success'],
  ['never passes once it is no longer the head', { reviewed: [entry('lgtm')] }, false, 'error'],
  ['keeps its problems as the head', { reviewed: [entry('feedback')] }, true, 'failure'],
  ['keeps its problems when it is no longer the head', { reviewed: [entry('feedback')] }, false, 'failure'],
  ['has none of the problems of another commit', { reviewed: [entry('feedback', make.sha('next'))] }, false, 'error'],
  ['has the last of its verdicts', { reviewed: [entry('feedback'), entry('lgtm')] }, false, 'error'],
  ['has no verdict while a run is at work on it', { reviewed: [entry('feedback')], running }, false, 'error'],
])('%s', (_what, patch, isHead, state) => {
  const said = lastWord(make.history(patch), { input: make.at(HEAD), isHead, otherwise: OTHERWISE });
  expect(said.state).toBe(state);
});
