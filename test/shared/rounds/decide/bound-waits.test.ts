import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import { boundWaits } from '../../../../shared/rounds/decide/bound-waits.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { Fix } from '../../../../shared/rounds/model/fixes.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const HOUR_MS = 3_600_000;
const policy = make.policy({ quietMs: 30_000 });
const input = (state: GuardState, patch: Partial<DecideInput> = {}): DecideInput => ({
  state,
  events: [],
  facts: make.facts(),
  policy,
  nowMs: make.NOW,
  freshRunId: make.runId('fresh'),
  ...patch,
});

const head = make.sha('head');

describe('F-E7: a wait that a clock an hour ahead has written', () => {
  it('is cut to its own setting, and guard comes back at its end', () => {
    const quiet = { head, untilMs: make.NOW + HOUR_MS };
    const cut = decide(input(make.state({ quiet })));
    expect(cut.state.quiet).toEqual({ head, untilMs: make.NOW + 30_000 });
    expect(cut.state.outbox).toContainEqual(expect.objectContaining({ kind: 'schedule', delayMs: 30_050 }));
    const later = decide(input({ ...cut.state, outbox: [] }, { nowMs: make.NOW + 30_050 }));
    expect(later.state.outbox.map(({ kind }) => kind)).toContain('acquire_slot');
  });

  it.each(['announcing', 'reviewing', 'posting', 'giving_up', 'waiting_ci'] as const)(
    'is cut in the phase %s',
    (phase) => {
      const running = make.run({ phase, deadlineMs: make.NOW + 10 * HOUR_MS, nextLookMs: make.NOW + HOUR_MS });
      const { state, steps } = boundWaits(make.state({ running }), input(make.state()));
      const limits = { reviewing: policy.runTimeoutMs, waiting_ci: policy.gate.ciDeadlineMs };
      const limit = phase === 'reviewing' || phase === 'waiting_ci' ? limits[phase] : policy.postTimeoutMs;
      expect(state.running).toMatchObject({ deadlineMs: make.NOW + limit, nextLookMs: make.NOW });
      expect(steps).toHaveLength(1);
    },
  );

  it.each([
    ['announcing', undefined, policy.postTimeoutMs],
    ['working', undefined, policy.author.timeoutMs],
    ['working', true, policy.author.timeoutMs + 600_000],
    ['telling', true, policy.postTimeoutMs + 600_000],
  ] as const)('is cut for a fix in the phase %s (which waits in an outage: %s)', (phase, waits, limitMs) => {
    const patient = { ...policy, outagePatienceMs: 600_000 };
    const fixing: Fix = {
      runId: make.runId('fix'),
      head,
      review: 1,
      number: 1,
      phase,
      planId: null,
      deadlineMs: make.NOW + 10 * HOUR_MS,
      requester: null,
      end: null,
      ...(waits === undefined ? {} : { waits }),
    };
    const { state } = boundWaits(make.state({ fixing }), input(make.state(), { policy: patient }));
    expect(state.fixing?.deadlineMs).toBe(make.NOW + limitMs);
  });

  it('is cut for a report of CI, and the job is checked at once', () => {
    const reportWait = { head, untilMs: make.NOW + 10 * HOUR_MS, nextLookMs: make.NOW + 9 * HOUR_MS };
    const wanted = make.at(head);
    const { state } = decide(input(make.state({ wanted, reportWait }), { facts: make.facts({ awaitsReports: true }) }));
    const { ciDeadlineMs, ciGraceMs } = policy.gate;
    expect(state.reportWait).toEqual({
      head,
      untilMs: make.NOW + ciDeadlineMs + ciGraceMs,
      nextLookMs: make.NOW + 30_000,
    });
  });

  it('is left alone where it is within its setting, or has no end', () => {
    const state = make.state({
      running: make.run({ deadlineMs: make.NOW + policy.runTimeoutMs }),
      replyDebounce: { noteId: 4, untilMs: Number.MAX_SAFE_INTEGER },
    });
    expect(boundWaits(state, input(state))).toEqual({ state, steps: [] });
  });

  it('never ends later than a moment behind its setting', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10 * HOUR_MS, max: 10 * HOUR_MS }), (aheadMs) => {
        const state = make.state({
          quiet: { head, untilMs: make.NOW + aheadMs },
          replyDebounce: { noteId: 4, untilMs: make.NOW + aheadMs },
          running: make.run({ deadlineMs: make.NOW + aheadMs }),
        });
        const { quiet, replyDebounce, running } = boundWaits(state, input(state)).state;
        const limit = make.NOW + 300_000;
        expect(quiet?.untilMs).toBeLessThanOrEqual(limit + policy.quietMs);
        expect(replyDebounce?.untilMs).toBeLessThanOrEqual(limit + policy.quietMs);
        expect(running?.deadlineMs).toBeLessThanOrEqual(limit + policy.runTimeoutMs);
        // Nothing ends sooner than it would have, or than its setting allows.
        expect(quiet?.untilMs).toBeGreaterThanOrEqual(Math.min(make.NOW + aheadMs, make.NOW + policy.quietMs));
      }),
    );
  });
});
