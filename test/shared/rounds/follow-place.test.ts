import { describe, expect, it } from 'vitest';
import { decide } from '../../../shared/rounds/decide.ts';
import type { DecideInput } from '../../../shared/rounds/decision.ts';
import { buildStatusPlan } from '../../../shared/rounds/follow-place.ts';
import { type Member, statusByMarkers, worstStatus } from '../../../shared/rounds/place.ts';
import type { PlannedStatus } from '../../../shared/rounds/post-plan.ts';
import * as make from './builders.ts';

const head = make.sha('head');
const here = { head, target: 'main' };

const ordered = (patch: Partial<DecideInput>): readonly string[] =>
  decide({
    state: make.state(),
    events: [make.forgeEvent('comment')],
    facts: make.facts(),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  }).state.outbox.flatMap((command) => (command.kind === 'write_status' ? [command.head] : []));

const at = (patch: Parameters<typeof make.changeRequest>[0]) =>
  make.facts({ changeRequest: make.changeRequest(patch) });

describe('F-A2: the status of a commit is written again', () => {
  it.each<[string, Partial<DecideInput>, readonly string[]]>([
    ['never while the change request stays where it is', {}, []],
    ['when it is closed', { facts: at({ state: 'closed' }) }, [head]],
    ['when it is merged', { facts: at({ state: 'merged' }) }, [head]],
    ['not twice when it is closed', { facts: at({ state: 'closed' }), state: make.state({ placed: null }) }, []],
    ['when it is open again', { state: make.state({ placed: null }) }, [head]],
    [
      'for both commits after a push that nobody reviews',
      { facts: at({ head: make.sha('new'), draft: true }) },
      [head, make.sha('new')],
    ],
    ['when its target branch is another one', { state: make.state({ placed: { ...here, target: 'lab' } }) }, [head]],
    ['when the sweep found another one', { facts: make.facts({ wrongStatus: true }) }, [head]],
    [
      'not while a review of it is at work, which says it itself',
      { facts: make.facts({ wrongStatus: true }), state: make.state({ running: make.run() }) },
      [],
    ],
  ])('%s', (_when, patch, heads) => {
    expect(ordered(patch)).toEqual(heads);
  });
});

describe('GL2: the status is written again when the gate looks elsewhere', () => {
  const before = { ...here, part: 'pipeline 1' };
  const after = (state: Parameters<typeof make.state>[0], patch: Partial<DecideInput> = {}) =>
    decide({
      state: make.state({ placed: before, ...state }),
      events: [make.forgeEvent('pipeline')],
      facts: make.facts({ changeRequest: make.changeRequest({ statusPlace: 'pipeline 2' }) }),
      policy: make.policy(),
      nowMs: make.NOW,
      freshRunId: make.runId('fresh'),
      ...patch,
    }).state;
  const orders = (state: ReturnType<typeof after>) =>
    state.outbox.flatMap((command) => (command.kind === 'write_status' ? [command.isDue] : []));

  it.each<[string, Parameters<typeof make.state>[0], boolean]>([
    ['after the verdict', { reviewed: [make.at(head)] }, false],
    ['while the review runs', { running: make.run({ phase: 'reviewing' }) }, true],
    ['while the round is posted', { running: make.run({ phase: 'posting', planId: 'p' }) }, true],
    ['while the pushes calm down', { quiet: { head, untilMs: make.NOW + 60_000 } }, true],
  ])('%s', (_when, state, isDue) => {
    const next = after(state);
    expect(orders(next)).toEqual([isDue]);
    expect(next.placed).toEqual({ ...here, part: 'pipeline 2' });
    expect(orders(after({ ...state, placed: next.placed }))).toEqual([]);
  });

  it('and says that it waits where its review is due, and nothing of its own otherwise', () => {
    const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
    const plan = (isDue: boolean) => buildStatusPlan(context, { head, noticeId: make.runId('n'), isDue }).status;
    expect([plan(true)?.state, plan(false)]).toEqual(['pending', null]);
  });
});

const status = (state: PlannedStatus['state']): PlannedStatus => ({ state, description: `own ${state}` });
const member = (number: number, state: PlannedStatus['state']): Member => ({ number, status: status(state) });

describe('F-A2: the status of several change requests', () => {
  it.each<[own: PlannedStatus['state'] | null, others: readonly Member[], state: string | null, heldBy: number | null]>(
    [
      ['success', [], 'success', null],
      ['success', [member(2, 'success')], 'success', null],
      ['success', [member(2, 'success'), member(34, 'pending')], 'pending', 34],
      ['success', [member(34, 'pending'), member(3, 'failure')], 'failure', 3],
      ['success', [member(3, 'error')], 'error', 3],
      ['failure', [member(3, 'error')], 'failure', null],
      ['pending', [member(3, 'failure')], 'failure', 3],
      [null, [member(3, 'success')], 'success', 3],
      [null, [], null, null],
    ],
  )('%s among %j is %s', (own, others, state, heldBy) => {
    const worst = worstStatus(own === null ? null : status(own), others, '!');
    expect([worst?.status.state ?? null, worst?.heldBy ?? null]).toEqual([state, heldBy]);
  });

  it('names who holds it', () => {
    const worst = worstStatus(status('success'), [member(34, 'pending')], '!');
    expect(worst?.status.description).toBe('held by !34: not reviewed');
  });
});

describe('F-A2: what the markers say about the present input', () => {
  const present = make.at(head);
  it.each([
    ['nothing was reviewed', {}, 'pending'],
    ['it passed', { reviewed: [make.reviewedAt(head, { verdict: 'lgtm' })] }, 'success'],
    [
      'it was reviewed into another branch',
      { reviewed: [make.reviewedAt(head, { verdict: 'lgtm', target: 'lab' })] },
      'pending',
    ],
    [
      'it was reviewed on another merge base',
      { reviewed: [make.reviewedAt(head, { verdict: 'lgtm', base: make.sha('b'), targetHead: make.sha('t') })] },
      'pending',
    ],
    ['it was given up', { closed: [present] }, 'error'],
  ] as const)('%s', (_name, patch, state) => {
    expect(statusByMarkers(make.history(patch), present).state).toBe(state);
  });
});
