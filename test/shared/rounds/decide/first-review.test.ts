/** The first review of a change request starts at once. The quiet time is for the pushes that follow. */
import { describe, expect, test } from 'vitest';
import { requestReview } from '../../../../shared/rounds/decide/decide-triggers.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const QUIET_MS = 30_000;
const present = inputOf(make.changeRequest());

const wish = { explicit: false, call: null, why: 'trigger opened' };

const after = (state: Partial<GuardState>, patch: Partial<DecideInput> = {}) => {
  const input: DecideInput = {
    state: make.state(state),
    events: [],
    facts: make.facts(),
    policy: make.policy({ quietMs: QUIET_MS }),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  };
  const { wanted, quiet } = requestReview({ state: input.state, steps: [] }, wish, input).state;
  return { wanted, quietUntilMs: quiet?.untilMs ?? null };
};

const LATER = { wanted: null, quietUntilMs: make.NOW + QUIET_MS };

describe('a trigger', () => {
  test('of a change request that nobody has reviewed wants its input at once', () => {
    expect(after({})).toEqual({ wanted: present, quietUntilMs: null });
  });

  test.each<[string, Partial<GuardState>]>([
    ['a run was started', { runsUsed: 1 }],
    ['an input is reviewed', { reviewed: [{ ...present, head: make.sha('before') }] }],
    ['an input is closed', { closed: [{ ...present, head: make.sha('before') }] }],
    ['another head waits for quiet already', { quiet: { head: make.sha('before'), untilMs: make.NOW } }],
  ])('waits for quiet when %s', (_what, state) => {
    expect(after(state)).toEqual(LATER);
  });

  test('waits while the forge has not computed the diff', () => {
    expect(after({}, { facts: make.facts({ changeRequest: make.changeRequest({ mergeBase: null }) }) })).toEqual(LATER);
  });
});
