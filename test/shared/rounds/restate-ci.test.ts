/** CI that is repaired at a reviewed head changes its verdict, without a review and once. */
import { describe, expect, it } from 'vitest';
import type { CiReading } from '../../../shared/rounds/model/ci.ts';
import { decide } from './decide-alone.ts';
import type { DecideInput } from '../../../shared/rounds/decide/decision.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { ReviewedInput } from '../../../shared/rounds/model/history.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { buildRepliesPlan } from '../../../shared/rounds/plan/thread-replies-plan.ts';
import { inputKey } from '../../../shared/rounds/model/input.ts';
import * as make from './builders.ts';

const HEAD = make.sha('head');

const held = (patch: Partial<ReviewedInput> = {}): ReviewedInput => ({
  head: HEAD,
  base: make.sha('base'),
  fingerprint: make.print('patch'),
  target: 'main',
  targetHead: make.sha('target'),
  rules: make.print('rules'),
  review: 1,
  verdict: 'feedback',
  clear: true,
  onlyCi: true,
  ...patch,
});

const PASSED = { kind: 'passed' } as const;
const FAILED: CiReading = { kind: 'failed', contexts: ['build'] };
const historyOf = (patch: Partial<ReviewedInput> = {}) =>
  make.history({ reviewed: [held(patch)], reviewsDone: 1, verdict: patch.verdict ?? 'feedback' });
const settled = (patch: Partial<GuardState> = {}) =>
  make.state({ reviewsDone: 1, runsUsed: 1, reviewed: [make.at(HEAD)], ...patch });
const wake: InboxEvent = { source: 'wake', id: 'w', atMs: 0 };

const after = (patch: Partial<DecideInput> = {}, entry: Partial<ReviewedInput> = {}) =>
  decide({
    state: settled(),
    events: [make.forgeEvent('pipeline')],
    facts: make.facts({ history: historyOf(entry), ci: PASSED }),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  });

describe('CI that is repaired at the head that it kept from a pass', () => {
  it.each(['feedback', 'inconclusive'] as const)(
    'leads to a look at the verdict without a reviewer (%s)',
    (verdict) => {
      const { state, steps } = after({}, { verdict });
      expect(state.running).toMatchObject({ kind: 'reevaluate', phase: 'waiting_ci', head: HEAD, review: 1 });
      expect([state.runsUsed, state.outbox.map(({ kind }) => kind)]).toEqual([1, ['schedule']]);
      expect(steps.map(({ reason }) => reason)).toContain('CI has since passed at this head');

      const posting = after({ state: { ...state, outbox: [] }, events: [wake] }, { verdict }).state;
      expect(posting.outbox[0]).toMatchObject({ kind: 'post_replies', handled: [], ci: PASSED });
    },
  );

  it.each<[string, Partial<DecideInput>, Partial<ReviewedInput>]>([
    ['CI still fails', { facts: make.facts({ history: historyOf(), ci: FAILED }) }, {}],
    ['nobody has read CI', { facts: make.facts({ history: historyOf(), ci: null }) }, {}],
    ['it has passed before', {}, { verdict: 'lgtm', onlyCi: undefined }],
    ['more than CI kept it from a pass', {}, { onlyCi: undefined }],
    ['another head was reviewed last', {}, { head: make.sha('other') }],
    ['it was looked at before', { state: settled({ reevaluatedFor: `${inputKey(make.at(HEAD))} ci` }) }, {}],
  ])('changes nothing where %s', (_name, patch, entry) => {
    const { state } = after(patch, entry);
    expect([state.running, state.outbox]).toEqual([null, []]);
  });

  it('changes nothing twice at one head: CI that comes and goes makes no talk', () => {
    const first = after().state;
    const ended = { ...first, running: null, outbox: [] };
    expect(after({ state: ended }).state.running).toBeNull();
  });

  it('is looked at again where a commander asks', () => {
    const requests = [make.request({ noteId: 4 })];
    const { state } = after({
      state: settled({ reevaluatedFor: `${inputKey(make.at(HEAD))} ci` }),
      events: [make.forgeEvent('comment', { noteId: 4 })],
      facts: make.facts({ history: historyOf(), ci: PASSED, requests }),
    });
    expect(state.running).toMatchObject({ phase: 'waiting_ci' });
  });

  it('is known to the sweep as long as it may happen', () => {
    expect(after({ facts: make.facts({ history: historyOf(), ci: null }) }).state.heldByCi).toBe(HEAD);
    expect(after({}, { verdict: 'lgtm', onlyCi: undefined }).state.heldByCi).toBeNull();
    const closed = make.facts({ history: historyOf(), changeRequest: make.changeRequest({ state: 'closed' }) });
    expect(after({ facts: closed }).state.heldByCi).toBeNull();
  });
});

describe('the plan of a verdict that repaired CI has changed', () => {
  const planWith = (ci: DecideInput['facts']['ci'], entry: Partial<ReviewedInput> = {}) => {
    const history = historyOf(entry);
    const run = make.reevaluateRun({ review: 1 });
    const policy = make.policy();
    return buildRepliesPlan({
      facts: make.changeRequest(),
      history,
      policy,
      run,
      handled: [],
      spent: NOTHING_SPENT,
      ci,
    });
  };

  it.each(['feedback', 'inconclusive'] as const)('passes, says so once, and is held by CI no more (%s)', (verdict) => {
    const plan = planWith(PASSED, { verdict });
    expect(plan.status).toEqual({ state: 'success', description: 'Nothing blocks merging' });
    const notices = { feedback: ['Nothing blocks merging any more. The summary is up to date.'], inconclusive: [] };
    expect(plan.notices.map(({ text }) => text)).toEqual(notices[verdict]);
    expect(plan.summary?.marker.reviewed).toEqual([{ ...held(), verdict: 'lgtm', onlyCi: undefined }]);
  });

  it('stays held by CI that has failed again meanwhile', () => {
    const plan = planWith(FAILED);
    expect(plan.status?.state).toBe('failure');
    expect(plan.summary?.marker.reviewed).toEqual([held()]);
    expect(plan.notices).toEqual([]);
  });
});
