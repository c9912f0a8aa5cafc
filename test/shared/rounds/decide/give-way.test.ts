/** The poster gave way to a run of another process. */
import { describe, expect, test } from 'vitest';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import type { InboxEvent, OtherRun } from '../../../../shared/rounds/model/events.ts';
import type { Facts } from '../../../../shared/rounds/model/facts.ts';
import type { ReviewRun, Run } from '../../../../shared/rounds/model/run.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const HEAD = make.sha('head');
const OTHER: OtherRun = { run: make.runId('other'), review: 1, attempt: 1, until: 1_050 };

const gaveWay = ({ runId, planId }: Run, other: OtherRun): InboxEvent => ({
  source: 'post',
  id: `gave_way-${planId}`,
  atMs: 0,
  runId,
  planId: planId ?? '',
  outcome: 'gave_way',
  code: null,
  other,
});

const hear = (state: GuardState, events: readonly InboxEvent[], facts: Partial<Facts> = {}, nowMs = make.NOW) =>
  decide({ state, events, facts: make.facts(facts), policy: make.policy(), nowMs, freshRunId: make.runId('fresh') });

const ANNOUNCING = make.run({ phase: 'announcing', planId: 'run-announce' });
const THEIRS: ReviewRun = make.run({ runId: OTHER.run, elsewhere: true, deadlineMs: 1_050_000 });
const waiting = make.state({ running: THEIRS, runsUsed: 1 });

describe('guard', () => {
  test('waits for the other run until its deadline, counts nothing, and frees its slot', () => {
    const before = make.state({ running: ANNOUNCING, slotHeld: true, runsUsed: 1 });
    const { state } = hear(before, [gaveWay(ANNOUNCING, OTHER)]);
    expect(state).toMatchObject({ runsUsed: 1, failedAttempts: 0, slotHeld: false, wanted: null });
    expect(state.running).toMatchObject({ ...THEIRS, planId: null });
    expect(state.outbox.map(({ kind }) => kind)).toEqual(['release_slot', 'schedule']);
  });

  test('waits for as long as a post may take when the other run has begun to post', () => {
    const posting = make.run({ phase: 'posting', planId: 'run-review' });
    const { state } = hear(make.state({ running: posting }), [gaveWay(posting, { ...OTHER, until: null })]);
    expect(state.running).toMatchObject({ runId: OTHER.run, phase: 'reviewing', deadlineMs: make.NOW + 30_000 });
  });

  test('takes no draft of its own run any more', () => {
    const { state } = hear(waiting, [make.runEvent(make.run(), 'drafted')]);
    expect(state.running).toEqual(THEIRS);
  });

  test('ends the wait when the forge shows the result, whichever run wrote the summary last', () => {
    const history = make.history({ reviewed: [make.reviewedAt(HEAD)] });
    expect(reconcile(waiting, history).running).toBeNull();
    expect(reconcile(waiting, make.history({ reviewed: [make.reviewedAt(HEAD, { review: 2 })] })).running).toEqual(
      THEIRS,
    );
    expect(reconcile(waiting, make.history({ reviewed: [make.reviewedAt(make.sha('x'))] })).running).toEqual(THEIRS);
    const own = make.state({ running: make.run() });
    expect(reconcile(own, history).running).toEqual(own.running);
  });

  test('counts the other run as a failed attempt past its deadline, and continues its work in the next one', () => {
    const overdue = make.runEvent(THEIRS, 'overdue');
    const late = { ...waiting, slotHeld: true };
    expect(hear(late, [overdue]).state.running).toEqual(THEIRS);
    const { state } = hear(late, [overdue], {}, 1_050_000);
    expect(state.failedAttempts).toBe(1);
    expect(state.wanted).toMatchObject({ head: HEAD });
    expect(hear({ ...state, slotHeld: true, outbox: [] }, []).state).toMatchObject({
      running: { runId: make.runId('fresh'), attempt: 2, phase: 'announcing' },
      runsUsed: 2,
    });
  });

  test('does not wait with a newer head', () => {
    const changeRequest = make.changeRequest({ head: make.sha('newer') });
    const { state } = hear({ ...waiting, slotHeld: true }, [make.forgeEvent('pushed')], { changeRequest });
    expect(state.running).toBeNull();
    expect(state.wanted).toMatchObject({ head: make.sha('newer') });
  });
});
