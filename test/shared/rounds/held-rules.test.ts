/** Rules of `decide` and of the plans that a user would miss, and that nothing else holds by itself. */
import { describe, expect, it } from 'vitest';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import type { ReviewPlanInput } from '../../../shared/rounds/plan/review-plan-input.ts';
import { buildAnnouncePlan } from '../../../shared/rounds/plan/announce-plan.ts';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import { decide } from '../../../shared/rounds/decide/decide.ts';
import type { DecideInput } from '../../../shared/rounds/decide/decision.ts';
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { ReviewRun, Run } from '../../../shared/rounds/model/run.ts';
import type { Fix } from '../../../shared/rounds/model/fixes.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { NO_COUNTS } from '../../../shared/rounds/model/counts.ts';
import * as make from './builders.ts';

const NEWER = make.changeRequest({ head: make.sha('newer') });
const present = inputOf(make.changeRequest());

const planned = (run: Partial<ReviewRun>, draft: Partial<ReviewDraft> = {}, more: Partial<ReviewPlanInput> = {}) => {
  const input = {
    facts: make.changeRequest(),
    history: make.history(),
    policy: make.policy(),
    run: make.run({ phase: 'posting', ...run }),
    draft: make.draft({ review: run.review ?? 1, ...draft }),
    ...more,
  };
  return buildReviewPlan({ ...input, gated: gate(input.draft, input.history, input.policy) });
};

const BLOCKS = { findings: [make.finding({}, { blocking: true })] };

describe('F-T1: a plan about an older head', () => {
  it('is carried out only for a round that has to be finished', () => {
    expect([planned({}).allowStale, planned({ mustFinish: true }).allowStale]).toEqual([false, true]);
  });

  it('is never an announcement, an acknowledgement or a word that no run is left', () => {
    const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
    const run = make.run({ mustFinish: true });
    const plans = [
      buildAnnouncePlan(context, { run, runsUsed: 1, supersededInRow: 2 }),
      buildAcknowledgePlan(context, { input: present, noteId: null, noticeId: make.runId('n') }),
      buildCapPlan(context, { input: present, cap: 'runs', noticeId: make.runId('n') }),
    ];
    expect(plans.map(({ allowStale }) => allowStale)).toEqual([false, false, false]);
  });
});

describe('F-T20: the plan of a round', () => {
  const handoffs = (...given: Parameters<typeof planned>): number =>
    planned(...given).notices.filter(({ mention }) => mention).length;

  it('calls the operator in the last round, and not when that round passes', () => {
    const after = (roundsUsed: number) => ({ countsAfter: { ...NO_COUNTS, runsUsed: 3, roundsUsed } });
    expect(handoffs({ review: 3, ...after(3) }, BLOCKS)).toBe(1);
    expect(handoffs({ review: 3, ...after(3) })).toBe(0);
    expect(handoffs({ review: 3, ...after(2) }, BLOCKS)).toBe(0);
  });

  it('counts the numbers that it gives, and none for what is said already', () => {
    const history = make.history({ nextNumber: 5 });
    expect(planned({}, BLOCKS, { history }).summary.marker.nextId).toBe(5);
    expect(planned({}, {}, { history }).summary.marker.nextId).toBe(4);
    const half = make.thread({ id: 'F-005', review: 1, fingerprint: make.finding().fingerprint });
    const halfPosted = make.history({ nextNumber: 6, threads: [half] });
    expect(planned({}, BLOCKS, { history: halfPosted }).summary.marker.nextId).toBe(5);
  });

  it('announces until when the run may last: the time of the poster is not part of it', () => {
    const policy = make.policy({ runTimeoutMs: 500_000, postTimeoutMs: 30_000 });
    const context = { facts: make.changeRequest(), history: make.history(), policy };
    const run = make.run({ deadlineMs: 1_000_000 + 30_000 });
    const { summary } = buildAnnouncePlan(context, { run, runsUsed: 1, supersededInRow: 0 });
    expect(summary.marker.until).toBe((1_000_000 + 500_000) / 1000);
  });
});

const decided = (state: Partial<GuardState>, patch: Partial<DecideInput> = {}): GuardState =>
  decide({
    state: make.state({ slotHeld: true, runsUsed: 1, ...state }),
    events: [],
    facts: make.facts({ changeRequest: NEWER }),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  }).state;

describe('F-T12: a run that must be finished', () => {
  const announced = (mustFinish: boolean): Run =>
    make.run({ phase: 'announcing', planId: 'p', mustFinish, deadlineMs: make.NOW + 60_000 });
  const waiting = (mustFinish: boolean): Run =>
    make.run({ phase: 'waiting_ci', mustFinish, nextLookMs: make.NOW + 10, deadlineMs: make.NOW + 60_000 });

  it.each([
    [false, null],
    [true, 'reviewing'],
  ])('begins although a newer head is wanted: %s', (mustFinish, phase) => {
    const run = announced(mustFinish);
    const state = decided({ running: run, wanted: inputOf(NEWER) }, { events: [make.postEvent(run, 'posted')] });
    expect(state.running?.runId === run.runId ? state.running.phase : null).toBe(phase);
  });

  it.each([
    [false, null],
    // It can be no pass any more, so it waits for no CI.
    [true, 'posting'],
  ])('is posted although the head has moved: %s', (mustFinish, phase) => {
    const run = waiting(mustFinish);
    const ci = { kind: 'pending' as const, contexts: ['build'] };
    const state = decided({ running: run }, { facts: make.facts({ changeRequest: NEWER, ci }) });
    expect(state.running?.runId === run.runId ? state.running.phase : null).toBe(phase);
  });
});

describe('F-T13: answers in threads', () => {
  it('wait when the branch was put back to an older head that has its verdict as well', () => {
    const entry = (head: string, review: number) => ({
      ...inputOf(make.changeRequest({ head: make.sha(head) })),
      base: make.sha('base'),
      fingerprint: make.print(head),
      rules: make.print('rules'),
      review,
      verdict: 'feedback' as const,
    });
    const reviewed = [entry('older', 1), entry('head', 2)];
    const history = make.history({ reviewed, reviewsDone: 2, threads: [make.thread()], verdict: 'feedback' });
    const answers = [{ findingId: 'F-001' as const, noteId: 9 }];
    const talksAt = (head: string): boolean =>
      decided(
        { reviewsDone: 2, reviewed: reviewed.map(({ head: at }) => make.at(at)) },
        {
          facts: make.facts({ changeRequest: make.changeRequest({ head: make.sha(head) }), history, answers }),
          events: [make.forgeEvent('comment', { noteId: 9 })],
        },
      ).running?.kind === 'reply';
    expect([talksAt('head'), talksAt('older')]).toEqual([true, false]);
  });
});

describe('F-T14: a head that somebody pushed while a fix was at work', () => {
  const fix = (pushed: string | null): Fix => ({
    runId: make.runId('fix'),
    head: make.sha('head'),
    review: 1,
    number: 1,
    phase: 'telling',
    planId: 'told',
    deadlineMs: make.NOW + 1,
    requester: null,
    end: { kind: 'fixed', code: null, pushed: pushed === null ? null : make.sha(pushed) },
  });
  const after = (pushed: string | null) =>
    decided(
      { fixing: fix(pushed), pauses: 1, slotHeld: false },
      {
        events: [
          {
            source: 'post',
            id: 'told',
            atMs: 0,
            runId: make.runId('fix'),
            planId: 'told',
            outcome: 'posted',
            code: null,
          },
        ],
      },
    );

  it('waits for its own event, which a draft or a pause holds back', () => {
    expect(after(null)).toMatchObject({ fixing: null, wanted: null, running: null });
  });

  it('is wanted at once when the fix made it, since no event tells of the push of the bot', () => {
    const state = after('newer');
    expect([state.wanted?.head ?? state.running?.head, state.fixing]).toEqual([NEWER.head, null]);
  });
});
