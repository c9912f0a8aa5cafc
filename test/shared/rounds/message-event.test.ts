import { expect, it } from 'vitest';
import { decide } from '../../../shared/rounds/decide/decide.ts';
import type { MessageEvent } from '../../../shared/rounds/model/events.ts';
import * as make from './builders.ts';

const wantedAfter = (kind: MessageEvent['kind'], draft: boolean) => {
  const { state, steps } = decide({
    state: make.state(),
    events: [{ source: 'message', id: 'message-1', atMs: 0, kind }],
    facts: make.facts({ changeRequest: make.changeRequest({ draft }) }),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
  });
  return [state.slotHeld || state.wanted !== null || state.running !== null, steps[0]?.reason];
};

it.each([
  ['review_request', true, 'an author requested a review'],
  ['review_addressed', false, 'an author reported what it addressed; the next review reads the report'],
  ['review_feedback', false, 'no run waits for this review_feedback'],
  ['review_lgtm', false, 'no run waits for this review_lgtm'],
] as const)('a message %s makes the head wanted, of a draft too: %s', (kind, wanted, reason) => {
  expect(wantedAfter(kind, false)).toEqual([wanted, reason]);
  expect(wantedAfter(kind, true)).toEqual([wanted, reason]);
});
