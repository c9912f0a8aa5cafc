/** A round that would pass waits for CI, also for CI that may still begin. */
import { describe, expect, it } from 'vitest';
import type { CiReading } from '../../../../shared/rounds/model/ci.ts';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const UNTIL = make.NOW + 40_000;
const AWAITED: CiReading = { kind: 'awaited', untilMs: UNTIL };
const wake = { source: 'wake', id: 'w', atMs: 0 } as const;
const drafted = make.runEvent(make.run(), 'drafted');

const after = (state: GuardState, ci: CiReading | null, patch: Partial<DecideInput> = {}) =>
  decide({
    state,
    events: [wake],
    facts: make.facts({ ci }),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  });
const kinds = ({ outbox }: GuardState) => outbox.map(({ kind }) => kind);
const calm = (state: GuardState): GuardState => ({ ...state, outbox: [] });

describe('GL5: a would-be pass waits until CI may no longer begin', () => {
  const waiting = () => after(make.state({ running: make.run() }), AWAITED, { events: [drafted] });

  it('and looks when that time has come', () => {
    const { state, steps } = waiting();
    const deadlineMs = UNTIL + make.policy().gate.ciDeadlineMs;
    expect(state.running).toMatchObject({ phase: 'waiting_ci', deadlineMs });
    expect(steps.map(({ reason }) => reason)).toContain('the CI of this head may not have begun');
    const delays = state.outbox.flatMap((command) => (command.kind === 'schedule' ? [command.delayMs] : []));
    expect(Math.min(...delays)).toBeLessThanOrEqual(40_050);
  });

  it.each<[CiReading, boolean]>([
    [{ kind: 'passed' }, true],
    [{ kind: 'failed', contexts: ['test'] }, true],
    [{ kind: 'pending', contexts: ['test'] }, false],
  ])('then %j counts', (ci, isPosted) => {
    const { state } = after(calm(waiting().state), ci, { nowMs: UNTIL + 50 });
    expect(kinds(state).includes('post_review')).toBe(isPosted);
  });

  it('and says that CI counts, as long as it waits and when it posts, but not for a result that cannot pass', () => {
    expect([waiting().asksCi, after(calm(waiting().state), null).asksCi]).toEqual([true, true]);
    const blocked = make.facts({ draft: make.draft({ findings: [make.finding()] }) });
    const decided = after(make.state({ running: make.run() }), null, { events: [drafted], facts: blocked });
    expect([kinds(decided.state).includes('post_review'), decided.asksCi]).toEqual([true, undefined]);
  });

  it('but not where nobody waits for CI', () => {
    const policy = make.policy({ gate: { ...make.policy().gate, waitForCi: false } });
    const { state } = after(make.state({ running: make.run() }), AWAITED, { events: [drafted], policy });
    expect(state.outbox).toContainEqual(expect.objectContaining({ kind: 'post_review', ci: null }));
  });

  it('counted from when the head was first seen, and anew for another head', () => {
    const first = after(make.state({ firstSeen: null }), null).state.firstSeen;
    expect(first).toEqual({ head: make.sha('head'), atMs: make.NOW });
    const later = after(make.state({ firstSeen: first }), null, { nowMs: make.NOW + 5 }).state.firstSeen;
    expect(later).toEqual(first);
    const moved = make.facts({ changeRequest: make.changeRequest({ head: make.sha('new') }) });
    expect(
      after(make.state({ firstSeen: first }), null, { facts: moved, nowMs: make.NOW + 9 }).state.firstSeen,
    ).toEqual({
      head: make.sha('new'),
      atMs: make.NOW + 9,
    });
  });
});

describe('a review that uses a report of CI', () => {
  const wanted = (patch: Partial<GuardState> = {}) => make.state({ wanted: make.at(make.sha('head')), ...patch });
  const waits = (nowMs: number, patch: Partial<GuardState> = {}) =>
    after(wanted(patch), null, { facts: make.facts({ awaitsReports: true }), nowMs });
  const scheduled = ({ outbox }: GuardState) =>
    outbox.flatMap((effect) => (effect.kind === 'schedule' ? [effect] : []));

  it('stays wanted, counts no run and takes no slot while the job runs', () => {
    const { state, steps } = waits(make.NOW);
    expect(state).toMatchObject({ wanted: { head: make.sha('head') }, running: null, runsUsed: 0 });
    expect(kinds(state)).toEqual(['schedule']);
    expect(steps.map(({ reason }) => reason)).toEqual(['a CI job that makes a report has not ended']);
  });

  it('is checked again once per interval, and events in between cause no effect', () => {
    const first = waits(make.NOW).state;
    const [look] = scheduled(first);
    expect([look?.delayMs, first.reportWait?.nextLookMs]).toEqual([30_050, make.NOW + 30_000]);
    const between = waits(make.NOW + 29_999, calm(first));
    expect([between.state.outbox, between.steps.map(({ effect }) => effect)]).toEqual([[], []]);
    const next = scheduled(waits(make.NOW + 30_050, calm(first)).state);
    expect(next.map(({ delayMs }) => delayMs)).toEqual([30_050]);
    expect(next[0]?.event.id).not.toBe(look?.event.id);
  });

  it('ends at the deadline, even if the job is started again and again', () => {
    const { ciDeadlineMs } = make.policy().gate;
    const gate = { ...make.policy().gate, ciGraceMs: 10_000 };
    const untilMs = make.NOW + ciDeadlineMs + 10_000;
    const at = (nowMs: number, patch: Partial<GuardState>) =>
      after(wanted(patch), null, {
        facts: make.facts({ awaitsReports: true }),
        nowMs,
        policy: make.policy({ gate }),
      }).state;
    const begun = at(make.NOW, {});
    expect(begun.reportWait?.untilMs).toBe(untilMs);
    const last = at(untilMs - 1, calm(begun));
    expect(scheduled(last).map(({ delayMs }) => delayMs)).toEqual([51]);
    expect(kinds(at(untilMs, calm(last)))).toEqual(['acquire_slot']);
    const started = at(untilMs + 1, { ...calm(last), slotHeld: true });
    expect([started.running?.phase, started.reportWait]).toEqual(['announcing', null]);
  });

  it('has a deadline of its own for each head', () => {
    const other = { head: make.sha('other'), untilMs: make.NOW - 1, nextLookMs: make.NOW - 1 };
    const { state } = waits(make.NOW, { reportWait: other });
    expect([state.reportWait?.head, kinds(state)]).toEqual([make.sha('head'), ['schedule']]);
  });

  it('gives back a slot that it holds', () => {
    const { state } = waits(make.NOW, { slotHeld: true });
    expect([state.slotHeld, kinds(state)]).toEqual([false, ['release_slot', 'schedule']]);
  });

  it('begins when no job has to be waited for', () => {
    expect(kinds(after(wanted(), null).state)).toEqual(['acquire_slot']);
    expect(kinds(after(wanted({ slotHeld: true }), null).state)).toContain('announce');
  });

  it('does not wait if it may not begin at all', () => {
    const state = wanted({ reviewed: [make.at(make.sha('head'))] });
    const { state: next } = after(state, null, { facts: make.facts({ awaitsReports: true }) });
    expect([next.wanted, scheduled(next)]).toEqual([null, []]);
  });
});
