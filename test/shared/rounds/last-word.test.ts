/** A head that has had its last word is left alone, whatever became of the reports. */
import { describe, expect, it } from 'vitest';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import { decide } from './decide-alone.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { at, changeRequest, facts, history, NOW, policy, print, run, runId, sha, state } from './builders.ts';

const SWEEP: InboxEvent = { source: 'sweep', id: 's', atMs: NOW, head: sha('head') };

const lookAt = (from: GuardState, patch: Partial<Parameters<typeof decide>[0]> = {}) =>
  decide({
    state: from,
    events: [SWEEP],
    facts: facts(),
    policy: policy(),
    nowMs: NOW,
    freshRunId: runId('fresh'),
    ...patch,
  });

describe('a head beyond a cap', () => {
  const asked = { ...at(sha('head')), full: false, instructions: '' };
  const first = lookAt(state({ runsUsed: 6, wanted: at(sha('head')), asked }));

  it('gets its last word once, although a superseded run had been asked for', () => {
    expect(first.state.outbox.filter(({ kind }) => kind === 'post_cap')).toHaveLength(1);
    expect(lookAt({ ...first.state, outbox: [] }).state.outbox).toEqual([]);
  });

  it('is remembered as no round where none was posted', () => {
    const context = { facts: changeRequest(), history: history(), policy: policy() };
    const plan = buildCapPlan(context, { input: at(sha('head')), cap: 'runs', noticeId: runId('n') });
    expect(plan.summary.marker.phase).toBe('failed');
  });
});

describe('a round that is posted, whose report is lost', () => {
  const reviewed = {
    head: sha('head'),
    base: sha('base'),
    fingerprint: print('p'),
    target: 'main',
    targetHead: sha('target'),
    rules: print('rules'),
    review: 1,
    verdict: 'lgtm' as const,
  };
  const posting = run({ phase: 'posting', planId: 'p', deadlineMs: NOW - 1 });
  const from = state({ running: posting, runsUsed: 1, reviewsDone: 1, reviewed: [at(sha('head'))], slotHeld: true });

  it('is not reviewed again', () => {
    const seen = facts({ history: history({ reviewed: [reviewed], reviewsDone: 1 }) });
    const { state: after } = lookAt(from, { facts: seen });
    expect(after).toMatchObject({ running: null, wanted: null, asked: null });
  });

  it('is tried again where it is not on the forge', () => {
    const { state: after } = lookAt({ ...from, reviewsDone: 0, reviewed: [] });
    expect(after.outbox).toContainEqual({ kind: 'acquire_slot' });
  });
});
