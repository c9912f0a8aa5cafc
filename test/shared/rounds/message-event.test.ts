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
  ['review_request', true, 'an author asked for it by message'],
  ['review_addressed', false, 'an author says what it has addressed; the next review reads it'],
  ['review_feedback', false, 'a review_feedback that no run waits for'],
  ['review_lgtm', false, 'a review_lgtm that no run waits for'],
] as const)('a message %s makes the head wanted, of a draft too: %s', (kind, wanted, reason) => {
  expect(wantedAfter(kind, false)).toEqual([wanted, reason]);
  expect(wantedAfter(kind, true)).toEqual([wanted, reason]);
});
