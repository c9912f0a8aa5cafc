import { describe, expect, it } from 'vitest';
import { applyOutages, MAX_OUTAGE_RETRIES, outagePauseMs } from '../../../../shared/rounds/decide/decide-outage.ts';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { InboxEvent, OutageEvent } from '../../../../shared/rounds/model/events.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import { buildOutagePlan } from '../../../../shared/rounds/plan/outage-plan.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import type { ReviewRun, Run } from '../../../../shared/rounds/model/run.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const PATIENCE_MS = 1_800_000;
const policy = make.policy({ outagePatienceMs: PATIENCE_MS });
const head = make.sha('head');

const input = (patch: Partial<DecideInput>): DecideInput => ({
  state: make.state(),
  events: [],
  facts: make.facts(),
  policy,
  nowMs: make.NOW,
  freshRunId: make.runId('fresh'),
  ...patch,
});

const outage = (kind: OutageEvent['kind'], of: Pick<Run, 'runId'> = make.run(), atMs = 0): OutageEvent => ({
  source: 'outage',
  kind,
  id: `outage-${kind}-${atMs}`,
  atMs,
  runId: of.runId,
  what: 'model',
  code: 'MODEL_OVERLOADED',
});

const begun = (patch: Partial<GuardState> = {}, run: Partial<ReviewRun> = {}): GuardState =>
  make.state({ running: make.run(run), runsUsed: 1, slotHeld: true, ...patch });

const kinds = ({ outbox }: GuardState): readonly string[] => outbox.map(({ kind }) => kind);

const posted = (state: GuardState): InboxEvent => {
  if (state.running === null) throw new Error('nothing runs');
  return make.postEvent(state.running, 'posted');
};

/** Parked, and told. */
const parkedState = (before: GuardState, nowMs = make.NOW, kind: 'over' | 'misconfigured' = 'over'): GuardState => {
  if (before.running === null) throw new Error('nothing runs');
  const parking = decide(input({ state: before, events: [outage(kind, before.running)], nowMs })).state;
  return decide(input({ state: { ...parking, outbox: [] }, events: [posted(parking)], nowMs })).state;
};

describe('F-E5: a run whose job waits for something that is away', () => {
  it('stays the same run, its deadline moves once by the patience, and its status names the outage', () => {
    const { state } = decide(input({ state: begun(), events: [outage('waits')] }));
    const { deadlineMs, runId } = make.run();
    expect(state.running).toMatchObject({
      runId,
      phase: 'reviewing',
      attempt: 1,
      deadlineMs: deadlineMs + PATIENCE_MS,
    });
    expect([state.runsUsed, state.failedAttempts]).toEqual([1, 0]);
    expect(state.outbox).toMatchObject([
      { kind: 'tell_outage', what: 'model', code: 'MODEL_OVERLOADED' },
      { kind: 'schedule', event: { id: `overdue-${runId}-reviewing-waits` } },
    ]);
    const again = decide(
      input({ state: { ...state, outbox: [] }, events: [outage('waits', state.running ?? undefined, 9)] }),
    ).state;
    expect(again.running?.deadlineMs).toBe(deadlineMs + PATIENCE_MS);
    expect(kinds(again)).toEqual(['tell_outage']);
  });

  it('F-C12: tells of a pending review that is in the way while it posts, and what to do', () => {
    const posting = begun({}, { phase: 'posting', planId: 'run-review' });
    const waits: OutageEvent = { ...outage('waits'), what: 'forge', code: 'FORGE_PENDING_DRAFT' };
    const told = decide(input({ state: posting, events: [waits] })).state;
    expect(told.running).toMatchObject({ phase: 'posting', attempt: 1 });
    expect(kinds(told)).toContain('tell_outage');
    const other = decide(input({ state: posting, events: [{ ...waits, code: 'FORGE_UNAVAILABLE' }] })).state;
    expect(kinds(other)).not.toContain('tell_outage');
    const context = { facts: make.changeRequest(), history: make.history(), policy, mention: 'helper' };
    const telling = { run: make.run(), what: 'forge', code: 'FORGE_PENDING_DRAFT', noticeId: make.runId('x') } as const;
    const { status } = buildOutagePlan(context, telling);
    expect(status?.state).toBe('pending');
    expect(status?.description).toBe("Waiting: submit or delete the bot's pending review here");
  });

  it('is not overdue before its moved deadline, and then is', () => {
    const waiting = { ...decide(input({ state: begun(), events: [outage('waits')] })).state, outbox: [] };
    const overdue = make.runEvent(make.run(), 'overdue');
    const early = decide(input({ state: waiting, events: [overdue], nowMs: make.NOW + 70_000 })).state;
    expect(early.running?.phase).toBe('reviewing');
    const late = decide(input({ state: waiting, events: [overdue], nowMs: make.NOW + 70_000 + PATIENCE_MS })).state;
    expect(late.failedAttempts).toBe(1);
  });

  it.each(['announcing', 'posting', 'giving_up'] as const)(
    'tells nothing in the phase %s, whose deadline moves too',
    (phase) => {
      const { state } = decide(input({ state: begun({}, { phase }), events: [outage('waits')] }));
      expect(state.running?.deadlineMs).toBe(make.run().deadlineMs + PATIENCE_MS);
      expect(kinds(state)).toEqual(['schedule']);
    },
  );

  it('is an outage of nobody when it is not the current one', () => {
    const { state } = applyOutages(
      { state: begun(), steps: [] },
      input({ state: begun(), events: [outage('over', { runId: make.runId('other') })] }),
    );
    expect(state).toEqual(begun());
  });

  it('moves the deadline of a fix once', () => {
    const fixing = {
      runId: make.runId('fix'),
      head,
      review: 1,
      number: 1,
      phase: 'working' as const,
      planId: null,
      deadlineMs: make.NOW + 90_000,
      requester: null,
      end: null,
    };
    const state = make.state({ fixing, reviewsDone: 1 });
    const moved = applyOutages(
      { state, steps: [] },
      input({ state, events: [outage('waits', fixing), outage('waits', fixing, 1)] }),
    );
    expect(moved.state.fixing?.deadlineMs).toBe(fixing.deadlineMs + PATIENCE_MS);
    // That it is over is told by the report of the fix itself.
    for (const kind of ['over', 'misconfigured'] as const)
      expect(applyOutages({ state, steps: [] }, input({ state, events: [outage(kind, fixing)] })).state).toEqual(state);
  });
});

describe('F-E5: a run that has waited for too long without an answered call', () => {
  it('closes its head for a while, and uses neither run nor attempt', () => {
    const parking = decide(input({ state: begun(), events: [outage('over')] })).state;
    expect(parking.running?.phase).toBe('giving_up');
    expect(parking.outbox).toMatchObject([
      { kind: 'give_up', outage: { what: 'model', retry: 1, untilMs: make.NOW + outagePauseMs(1) } },
      { kind: 'schedule' },
      { kind: 'schedule', event: { source: 'wake' }, delayMs: outagePauseMs(1) + 50 },
    ]);
    const state = parkedState(begun({ failedAttempts: 1 }, { attempt: 2 }));
    expect(state).toMatchObject({ running: null, closed: [{ head }], runsUsed: 1, failedAttempts: 1, outages: 1 });
  });

  it('stays closed until it is tried again, even if the head moved before its failure was posted', () => {
    const before = begun();
    if (before.running === null) throw new Error('nothing runs');
    const parking = decide(input({ state: before, events: [outage('over', before.running)] })).state;
    if (parking.running === null) throw new Error('nothing runs');
    const moved = make.postEvent(parking.running, 'head_moved');
    const { closed, parked } = decide(input({ state: { ...parking, outbox: [] }, events: [moved] })).state;
    expect(closed).toMatchObject([{ head: before.running.head }]);
    expect(parked).toMatchObject({ head: before.running.head, again: false });
  });

  it('is tried again by itself when the pause is over, in a run that is not counted', () => {
    const state = { ...parkedState(begun()), outbox: [] };
    const wake = { source: 'wake', id: 'w', atMs: 0 } as const;
    const early = decide(input({ state, events: [wake], nowMs: make.NOW + outagePauseMs(1) - 1 })).state;
    expect([early.running, early.wanted]).toEqual([null, null]);
    const due = decide(input({ state, events: [wake], nowMs: make.NOW + outagePauseMs(1) })).state;
    expect(kinds(due)).toContain('acquire_slot');
    const started = decide(
      input({ state: { ...due, outbox: [], slotHeld: true }, nowMs: make.NOW + outagePauseMs(1) }),
    ).state;
    expect(started).toMatchObject({ running: { head, attempt: 1 }, runsUsed: 1, closed: [], parked: null });
  });

  it('is tried again also when its run was the last one', () => {
    const last = { ...parkedState(begun({ runsUsed: 6 })), outbox: [], slotHeld: true };
    const started = decide(input({ state: last, nowMs: make.NOW + outagePauseMs(1) })).state;
    expect(started).toMatchObject({ running: { head }, runsUsed: 6 });
  });

  it('doubles its pauses, and ends in a hand-off after the last retry', () => {
    expect([1, 2, 3, 8, 20].map((retry) => outagePauseMs(retry) / 60_000)).toEqual([10, 20, 40, 1_280, 1_440]);
    let state = begun();
    let nowMs = make.NOW;
    for (let retry = 1; retry <= MAX_OUTAGE_RETRIES; retry += 1) {
      const parked = { ...parkedState(state, nowMs), outbox: [], slotHeld: true };
      expect([parked.outages, parked.runsUsed]).toEqual([retry, 1]);
      nowMs += outagePauseMs(retry);
      const started = decide(input({ state: parked, nowMs })).state;
      state = {
        ...started,
        outbox: [],
        running: started.running && { ...started.running, phase: 'reviewing', deadlineMs: nowMs + 60_000 },
      };
    }
    const last = decide(input({ state, events: [outage('over', state.running ?? undefined)], nowMs })).state;
    expect(last).toMatchObject({ running: null, failedAttempts: 1, wanted: { head }, outages: MAX_OUTAGE_RETRIES });
  });

  it.each([
    ['paused', { state: { pauses: 1 } }],
    ['a draft', { changeRequest: { draft: true } }],
    ['another head', { changeRequest: { head: make.sha('newer') } }],
  ] as const)(
    'is left alone while it is %s',
    (_name, { state = {}, changeRequest = {} }: { state?: Partial<GuardState>; changeRequest?: object }) => {
      const parked = { ...parkedState(begun()), ...state, outbox: [], slotHeld: true };
      const facts = make.facts({ changeRequest: make.changeRequest(changeRequest) });
      const after = decide(input({ state: parked, facts, nowMs: make.NOW + outagePauseMs(1) })).state;
      expect([after.running, after.wanted]).toEqual([null, null]);
    },
  );

  it('fails its attempt when its draft was with the poster', () => {
    const { state } = decide(input({ state: begun({}, { phase: 'posting', planId: 'p' }), events: [outage('over')] }));
    expect(state).toMatchObject({ failedAttempts: 1, outages: 0, parked: null });
  });
});

describe('F-E5: a mistake in the configuration', () => {
  it('ends the run at once, and is tried again after a restart only', () => {
    const state = { ...parkedState(begun(), make.NOW, 'misconfigured'), outbox: [], slotHeld: true };
    expect(state).toMatchObject({ running: null, closed: [{ head }], parked: { untilMs: null }, failedAttempts: 0 });
    const later = make.NOW + 30 * 24 * 3_600_000;
    expect(decide(input({ state, nowMs: later, startedAtMs: make.NOW - 1 })).state.running).toBeNull();
    expect(decide(input({ state, nowMs: later, startedAtMs: make.NOW + 1 })).state.running).toMatchObject({ head });
  });

  it('is tried again when a commander asks, in a run that counts', () => {
    const state = { ...parkedState(begun(), make.NOW, 'misconfigured'), outbox: [], slotHeld: true };
    const facts = make.facts({ requests: [make.request()] });
    const events = [make.forgeEvent('comment', { noteId: 4 })];
    const asked = decide(input({ state, facts, events })).state;
    expect(asked).toMatchObject({ running: { head }, runsUsed: 2, parked: null });
  });
});

it('F-E5: a head that waits for its retry is known again after a wipe', () => {
  const history = make.history({
    outages: 3,
    attempts: 1,
    runsUsed: 2,
    parked: { ...inputOf(make.changeRequest()), retryAtMs: make.NOW + 5 },
  });
  expect(reconcile(null, history)).toMatchObject({
    outages: 3,
    failedAttempts: 0,
    closed: [{ head }],
    parked: { head, untilMs: make.NOW + 5, again: false },
  });
});
