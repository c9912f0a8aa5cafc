import { describe, expect, it } from 'vitest';
import { carriableInputs, carriedVerdict } from '../../../../shared/rounds/model/carried.ts';
import { buildCarriedPlan } from '../../../../shared/rounds/plan/carried-plan.ts';
import type { CiReading } from '../../../../shared/rounds/model/ci.ts';
import { decide } from '../decide-alone.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { InboxEvent } from '../../../../shared/rounds/model/events.ts';
import type { ReviewedInput } from '../../../../shared/rounds/model/history.ts';
import { GuardState } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const entry = (patch: Partial<ReviewedInput> = {}): ReviewedInput => ({
  head: make.sha('old'),
  base: make.sha('base'),
  fingerprint: make.print('patch'),
  target: 'main',
  targetHead: make.sha('target'),
  rules: make.print('rules'),
  review: 1,
  verdict: 'lgtm',
  ...patch,
});

const CARRIED = {
  base: make.sha('base'),
  targetHead: make.sha('target'),
  patchFingerprint: make.print('patch'),
  reviewedHead: make.sha('old'),
  reviewedBase: make.sha('base'),
  reviewedTarget: 'main',
  rules: make.print('rules'),
  baseMoved: false,
};

describe('a reviewed verdict', () => {
  const open = make.thread();
  const closed = make.thread({ state: 'resolved' });
  it.each<[string, Partial<ReviewedInput>, readonly ReturnType<typeof make.thread>[], 'lgtm' | 'feedback' | null]>([
    ['a pass without threads', {}, [], 'lgtm'],
    ['a pass with everything resolved', {}, [closed], 'lgtm'],
    ['a pass, but something blocks since', {}, [open], null],
    ['a block that stands', { verdict: 'feedback' }, [open], 'feedback'],
    ['a block that a later round has closed', { verdict: 'feedback' }, [closed], null],
    ['a block by CI alone', { verdict: 'feedback', onlyCi: true }, [], 'lgtm'],
    ['a block by CI alone, but something blocks since', { verdict: 'feedback', onlyCi: true }, [open], null],
    ['no verdict', { verdict: 'inconclusive' }, [], null],
    ['no verdict because of CI', { verdict: 'inconclusive', onlyCi: true }, [], null],
    ['an incomplete block', { verdict: 'feedback', complete: false }, [open], null],
    ['an incomplete pass', { complete: false }, [], null],
  ])('%s', (_name, patch, threads, expected) => {
    expect(carriedVerdict(entry(patch), threads)).toBe(expected);
  });

  it('is looked for from the newest on', () => {
    const reviewed = [
      entry(),
      entry({ verdict: 'inconclusive', review: 2 }),
      entry({ head: make.sha('b'), review: 3 }),
    ];
    expect(carriableInputs({ reviewed, threads: [] }).map(({ review }) => review)).toEqual([3, 1]);
  });
});

const sameInput: InboxEvent = {
  source: 'run',
  kind: 'same_input',
  id: 'same',
  atMs: 0,
  runId: make.runId('run'),
  code: null,
  carried: CARRIED,
};

const HISTORY = make.history({ reviewed: [entry()], reviewsDone: 1, runsUsed: 2 });

const decideOn = (patch: Partial<DecideInput> = {}) =>
  decide({
    state: make.state({ running: make.run({ review: 2 }), slotHeld: true, reviewsDone: 1, runsUsed: 2 }),
    events: [sameInput],
    facts: make.facts({ history: HISTORY }),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  });

describe('the same input', () => {
  it('is posted without a round, and the head has its verdict then', () => {
    const posting = decideOn().state;
    expect(posting.running).toMatchObject({ phase: 'posting', carried: CARRIED });
    const { running } = posting;
    if (running === null) throw new Error('nothing runs');
    const after = decideOn({ state: { ...posting, outbox: [] }, events: [make.postEvent(running, 'posted')] }).state;
    expect(after).toMatchObject({ running: null, reviewsDone: 1, runsUsed: 2, slotHeld: false });
    expect(after.reviewed.map(({ head }) => head)).toContain(make.sha('head'));
  });

  it('waits for CI as a review does, gives its slot to others, and parses after a restart', () => {
    const ci: CiReading = { kind: 'pending', contexts: ['build'] };
    const facts = make.facts({ history: HISTORY, ci });
    const waiting = decideOn({ facts }).state;
    expect(waiting.running).toMatchObject({ phase: 'waiting_ci', carried: CARRIED });
    expect([waiting.slotHeld, waiting.outbox.map(({ kind }) => kind)]).toEqual([
      false,
      ['release_slot', 'schedule', 'schedule'],
    ]);
    expect(GuardState.parse(JSON.parse(JSON.stringify(waiting)))).toEqual(waiting);
    const state = { ...waiting, outbox: [] };
    const wake: InboxEvent = { source: 'wake', id: 'w', atMs: 0 };
    expect(decideOn({ state, facts, events: [wake] }).state.outbox).toEqual([]);
    const looking = decideOn({ state, facts, events: [wake], nowMs: make.NOW + 40_000 }).state;
    expect(looking.outbox.map(({ kind }) => kind)).toEqual(['schedule']);
    const late = decideOn({ state, facts, events: [wake], nowMs: make.NOW + 1_800_000 }).state;
    expect(late.outbox[0]).toMatchObject({ kind: 'post_carried', ci });
    const passed = decideOn({
      state,
      facts: make.facts({ history: HISTORY, ci: { kind: 'passed' } }),
      events: [wake],
    }).state;
    expect(passed.outbox[0]).toMatchObject({ kind: 'post_carried', ci: { kind: 'passed' } });
    const moved = make.facts({
      history: HISTORY,
      ci: null,
      changeRequest: make.changeRequest({ head: make.sha('newer') }),
    });
    expect(decideOn({ state, facts: moved, events: [wake] }).steps.map(({ reason }) => reason)).toContain(
      'the input changed while the review waited for CI',
    );
  });

  it('does not wait where CI is not waited for, and what has not ended does not count then', () => {
    const policy = make.policy({ gate: { ...make.policy().gate, waitForCi: false, ciDeadlineMs: 1 } });
    const pending = decideOn({
      policy,
      facts: make.facts({ history: HISTORY, ci: { kind: 'pending', contexts: ['a'] } }),
    });
    expect(pending.state.outbox[0]).toMatchObject({ kind: 'post_carried', ci: null });
    const failed = decideOn({
      policy,
      facts: make.facts({ history: HISTORY, ci: { kind: 'failed', contexts: ['a'] } }),
    });
    expect(failed.state.outbox[0]).toMatchObject({ kind: 'post_carried', ci: { kind: 'failed', contexts: ['a'] } });
  });
});

describe('the plan of a carried verdict', () => {
  const build = (history: Parameters<typeof make.history>[0], ci: CiReading | null = null, baseMoved = false) =>
    buildCarriedPlan(
      { facts: make.changeRequest(), history: make.history(history), policy: make.policy() },
      { run: make.run({ review: 2 }), carried: { ...CARRIED, baseMoved }, ci },
    );

  it('says what is the same, and remembers the new head without a new round', () => {
    const plan = build(
      { reviewed: [entry({ clear: true })], reviewsDone: 1, verdict: 'lgtm' },
      { kind: 'passed' },
      true,
    );
    expect(plan?.status).toEqual({
      state: 'success',
      description: 'Nothing blocks merging (as before, newer base)',
    });
    expect(plan?.notices).toEqual([]);
    expect(plan?.summary.marker).toMatchObject({ review: 1, phase: 'posted', verdict: 'lgtm' });
    expect(plan?.summary.marker.reviewed.at(-1)).toEqual({
      head: make.sha('head'),
      base: CARRIED.base,
      fingerprint: CARRIED.patchFingerprint,
      target: 'main',
      targetHead: make.sha('target'),
      rules: make.print('rules'),
      review: 1,
      verdict: 'lgtm',
      clear: true,
    });
  });

  it('shows the verdict, the reason and the findings in the summary', () => {
    const text = build({
      reviewed: [entry({ verdict: 'feedback' })],
      reviewsDone: 1,
      threads: [make.thread({ id: 'F-007' })],
    })?.summary.text;
    expect(text).toMatch(/^\*\*1 problem to fix before merging\*\*/);
    expect(text).toContain('the verdict of review 1 applies, without a new review: ');
    expect(text).toContain('| High | [The result is never awaited](#F-007) | `a.ts:3` | F-007 |');
  });

  it.each([
    ['head', { head: make.sha('another') }],
    ['merge base', { base: make.sha('another') }],
    ['target branch', { target: 'another' }],
  ])('is of the input that has the same head, base and target, and not of one with another %s', (_name, other) => {
    const newer = entry({ verdict: 'feedback', ...other });
    const plan = build({ reviewed: [entry(), newer], reviewsDone: 1, verdict: 'lgtm' });
    expect(plan?.summary.marker.verdict).toBe('lgtm');
  });

  it('is never a pass against CI, and mails nobody about it', () => {
    const ci: CiReading = { kind: 'failed', contexts: ['build'] };
    const plan = build({ reviewed: [entry()], reviewsDone: 1, verdict: 'lgtm' }, ci);
    expect(plan?.status.state).toBe('failure');
    expect(plan?.summary.marker.reviewed.at(-1)).toMatchObject({ verdict: 'feedback', onlyCi: true });
    // CI itself tells its people: a new comment would mail them twice.
    expect(plan?.summary.text).toMatch(/^\*\*Not ready to merge\*\*: CI has failed: `build`\n/);
    expect(plan?.notices).toEqual([]);
  });

  it('does not exist where the reviewed head is unknown or its verdict cannot be carried', () => {
    expect(build({ reviewed: [] })).toBeNull();
    expect(build({ reviewed: [entry({ verdict: 'inconclusive' })] })).toBeNull();
    expect(build({ reviewed: [entry()], threads: [make.thread()] })).toBeNull();
  });
});
