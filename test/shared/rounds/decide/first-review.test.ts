/** The first review of a change request starts at once. The quiet time is for the pushes that follow. */
import { describe, expect, test } from 'vitest';
import type { Checks } from '../../../../shared/forge/port-statuses.ts';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import { requestReview } from '../../../../shared/rounds/decide/decide-triggers.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import { readCi } from '../../../../shared/rounds/model/ci.ts';
import type { InboxEvent } from '../../../../shared/rounds/model/events.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
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

describe('an instant runner, with CI that appears after 20 seconds and fails', () => {
  const GRACE_MS = 60_000;
  const checksAt = (nowMs: number): Checks => {
    const build = { context: 'build', description: '', createdAtMs: 20_000 } as const;
    if (nowMs < 20_000) return { statuses: [], required: [] };
    return { statuses: [{ ...build, state: nowMs < 30_000 ? 'pending' : 'failure' }], required: [] };
  };
  const policy = make.policy({ quietMs: QUIET_MS }, { maxSilent: 50, maxCarried: 50, maxComments: 20 });
  const draft = make.draft();

  /** Guard alone: what it orders is done at once, and it is woken every second. */
  const statusesUntil = (endMs: number): readonly string[] => {
    const said: string[] = [];
    let state = make.state({ runsUsed: 0, running: null, slotHeld: false });
    for (let nowMs = 0; nowMs <= endMs; nowMs += 1_000) {
      let events: readonly InboxEvent[] =
        nowMs === 0 ? [make.forgeEvent('opened')] : [{ source: 'wake', id: `${nowMs}`, atMs: nowMs }];
      while (events.length > 0) {
        const ci = readCi(checksAt(nowMs), { ignoreContexts: [] }, { nowMs, untilMs: GRACE_MS });
        const facts = make.facts({ draft, ci });
        const decided = decide({ state, events, facts, policy, nowMs, freshRunId: make.runId('run') });
        const { outbox } = decided.state;
        state = { ...decided.state, outbox: [] };
        const run = state.running;
        events = [];
        for (const effect of outbox) {
          if (effect.kind === 'acquire_slot') {
            state = { ...state, slotHeld: true };
            events = [{ source: 'wake', id: 'slot', atMs: nowMs }];
          }
          if (effect.kind === 'announce' && run !== null) {
            said.push('pending');
            events = [make.postEvent(run, 'posted')];
          }
          if (effect.kind === 'review' && run !== null) events = [make.runEvent(run, 'drafted')];
          if (effect.kind === 'post_review') {
            const { history, changeRequest } = facts;
            if (changeRequest === null) throw new Error('no change request');
            said.push(buildReviewPlan({ facts: changeRequest, history, policy, draft, ...effect }).status.state);
            if (run !== null) events = [make.postEvent(run, 'posted')];
          }
        }
      }
    }
    return said;
  };

  test('begins at once and is never green', () => {
    expect(statusesUntil(0)).toEqual(['pending']);
    expect(statusesUntil(2 * GRACE_MS)).toEqual(['pending', 'failure']);
  });
});
