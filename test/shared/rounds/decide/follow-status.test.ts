import { describe, expect, it } from 'vitest';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import { buildStatusPlan } from '../../../../shared/rounds/plan/status-plan.ts';
import { lastWord, type Member, statusByMarkers, worstStatus } from '../../../../shared/rounds/plan/place-status.ts';
import type { Policy } from '../../../../shared/rounds/model/policy.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import type { PlannedStatus } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { Effect } from '../../../../shared/rounds/model/effect.ts';
import { cutStatusText } from '../../../../shared/rounds/plan/wording/status-words.ts';
import * as make from '../builders.ts';

const head = make.sha('head');
const status = (state: PlannedStatus['state']): PlannedStatus => ({ state, description: `own ${state}` });
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

describe('why the status of a commit is written again', () => {
  it.each<[string, GuardState['placed'], string]>([
    ['the target branch', { ...here, target: 'lab' }, 'the target branch is another one'],
    ['the change request', null, 'another change request may have this commit'],
  ])('names %s', (_what, placed, why) => {
    const { steps } = decide({
      state: make.state({ placed }),
      events: [make.forgeEvent('comment')],
      facts: make.facts(),
      policy: make.policy(),
      nowMs: make.NOW,
      freshRunId: make.runId('fresh'),
    });
    expect(steps.map(({ reason }) => reason)).toContain(`the status is written again: ${why}`);
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
    const plan = (isDue: boolean) =>
      buildStatusPlan(context, { head, noticeId: make.runId('n'), isDue, left: false, waits: null }).status;
    expect([plan(true)?.state, plan(false)]).toEqual(['pending', null]);
  });
});

describe('a commit that the change request has left', () => {
  const newer = make.sha('newer');
  const moved = make.facts({ changeRequest: make.changeRequest({ head: newer }) });
  const onNewer: Partial<GuardState> = {
    placed: { ...here, head: newer },
    wanted: make.at(newer),
    running: make.run({ head, phase: 'reviewing' }),
  };
  const superseded = make.runEvent(make.run(), 'superseded');
  const orders = (state: Partial<GuardState>, patch: Partial<DecideInput> = {}) =>
    decide({
      state: make.state(state),
      events: [make.forgeEvent('comment')],
      facts: moved,
      policy: make.policy(),
      nowMs: make.NOW,
      freshRunId: make.runId('fresh'),
      ...patch,
    }).state.outbox.flatMap((command): (readonly [string, unknown])[] => {
      if (command.kind === 'write_status') return [[command.head === head ? 'old' : 'new', command.left]];
      return command.kind === 'post_closed' ? [['closed', command.heads]] : [];
    });
  const ended = (state: 'closed' | 'merged') => make.facts({ changeRequest: make.changeRequest({ state }) });

  it.each<[string, Partial<GuardState>, Partial<DecideInput>, readonly unknown[]]>([
    ['is ended when it is left', { placed: here, wanted: make.at(newer) }, {}, [['old', true]]],
    ['waits for a run that still works on it', { ...onNewer, placed: here }, {}, [['old', false]]],
    ['stays as it is while that run works', onNewer, {}, []],
    ['is ended with that run', onNewer, { events: [superseded] }, [['old', true]]],
    [
      'is ended once when both happen at the same time',
      { ...onNewer, placed: here },
      { events: [superseded] },
      [['old', true]],
    ],
    ['is left alone when it has its verdict', { placed: here, reviewed: [make.at(head)] }, {}, [['old', false]]],
    [
      'is ended when another input of it was waiting',
      { placed: here, reviewed: [make.at(head)], withdrawnFor: `${head} x main` },
      {},
      [['old', true]],
    ],
    ['is ended when a draft is closed', { placed: here }, { facts: ended('closed') }, [['old', true]]],
    [
      'is left to the last words where a run was at work',
      { placed: here, running: make.run({ head }) },
      { facts: ended('merged') },
      [
        ['closed', [head]],
        ['old', false],
      ],
    ],
  ])('%s', (_when, state, patch, expected) => {
    expect(orders(state, patch).filter(([which]) => which !== 'new')).toEqual(expected);
  });

  it('names what came instead', () => {
    const say = (changeRequest: Parameters<typeof make.changeRequest>[0]) =>
      buildStatusPlan(
        { facts: make.changeRequest(changeRequest), history: make.history(), policy: make.policy() },
        { head, noticeId: make.runId('n'), isDue: false, left: true, waits: null },
      ).status;
    expect(say({ head: newer })).toEqual({
      state: 'error',
      description: `Not reviewed: replaced by commit ${newer.slice(0, 10)}`,
    });
    expect(say({ state: 'merged' })?.description).toBe('Not reviewed: merged before the review was complete');
  });

  const otherwise = status('error');
  const passed = make.reviewedAt(head, { verdict: 'lgtm' });
  const blocked = make.reviewedAt(head, { verdict: 'feedback', review: 2 });
  const running = { kind: 'review', ...make.at(head), runId: 'r', review: 1, attempt: 1, deadlineMs: 0 } as const;
  it.each<[string, Parameters<typeof make.history>[0], boolean, string]>([
    ['nothing was posted', {}, true, 'own error'],
    ['its verdict was posted', { reviewed: [passed] }, true, 'Nothing blocks merging'],
    ['its verdict was posted and it was left', { reviewed: [blocked] }, false, 'Problems to fix before merging'],
    ['it passed and was left', { reviewed: [passed] }, false, 'own error'],
    ['another review of it is at work', { reviewed: [passed], running }, true, 'own error'],
    ['another review of it is at work and it was left', { reviewed: [blocked], running }, false, 'own error'],
    ['it passed into another branch', { reviewed: [{ ...passed, target: 'lab' }] }, true, 'own error'],
    ['it was given up', { closed: [make.at(head)] }, true, 'No verdict: see the summary'],
  ])('keeps what was said: %s', (_when, history, isHead, description) => {
    const said = lastWord(make.history(history), { input: make.at(head), isHead, otherwise });
    expect(said.description).toBe(description);
  });
});

const LABELS = Array.from({ length: 8 }, (_each, index) => `area ${index}: needs-a-review`);

describe('a change request that is kept from its review', () => {
  const filtered = (filters: Partial<Policy['filters']>) =>
    make.policy({ filters: { ...make.policy().filters, ...filters } });
  const here2 = (patch: Parameters<typeof make.changeRequest>[0]) => at({ head: make.sha('newer'), ...patch });

  it.each<[string, Partial<DecideInput>, string | null]>([
    [
      'a label',
      { facts: here2({}), policy: filtered({ labels: ['ready', 'go'] }) },
      'the label ready or go is missing',
    ],
    [
      'many labels',
      { facts: here2({}), policy: filtered({ labels: LABELS }) },
      `the label ${LABELS.join(' or ')} is missing`.slice(0, 140),
    ],
    [
      'an ignored label',
      { facts: here2({ labels: ['wip'] }), policy: filtered({ ignoreLabels: ['wip'] }) },
      'the change request has an ignored label',
    ],
    [
      'its author',
      { facts: here2({}), policy: filtered({ authors: ['somebody'] }) },
      'reviews are limited to other authors',
    ],
    ['an ignored author', { facts: here2({}), policy: filtered({ ignoreAuthors: ['*'] }) }, 'the author is ignored'],
    ['a draft', { facts: here2({ draft: true }) }, 'the change request is a draft'],
    ['a pause', { facts: here2({}), state: make.state({ pauses: 1 }) }, 'reviews of this change request are paused'],
    ['its target branch', { facts: here2({ draft: true }), policy: filtered({ targetBranches: ['release*'] }) }, null],
    ['nothing', { facts: here2({}) }, null],
  ])('says why: %s', (_what, patch, waits) => {
    const { state } = decide({
      state: make.state(),
      events: [make.forgeEvent('pushed')],
      facts: make.facts(),
      policy: make.policy(),
      nowMs: make.NOW,
      freshRunId: make.runId('fresh'),
      ...patch,
    });
    const [found] = state.outbox.flatMap((command) =>
      command.kind === 'write_status' && command.head === make.sha('newer') ? [command] : [],
    );
    expect(found?.waits ?? null).toBe(waits);
    expect(state.outbox.map((effect) => Effect.safeParse(effect).success)).not.toContain(false);
    if (found === undefined || waits === null) return;
    const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
    expect(buildStatusPlan(context, found).status).toEqual({
      state: 'pending',
      description: cutStatusText(`Not reviewed: ${waits}`),
    });
  });
});

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
    expect(worst?.status.description).toBe('Held by !34: not reviewed yet');
    const only = worstStatus(null, [member(34, 'success')], '!');
    expect(only?.status.description).toBe('!34: nothing blocks merging');
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
