import { describe, expect, it, test } from 'vitest';
import { decide } from '../decide-alone.ts';
import type { InboxEvent, MessageEvent } from '../../../../shared/rounds/model/events.ts';
import type { Facts } from '../../../../shared/rounds/model/facts.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import type { Effect } from '../../../../shared/rounds/model/effect.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const HEAD = make.sha('head');

const message = (kind: MessageEvent['kind']): InboxEvent => ({ source: 'message', id: `m-${kind}`, atMs: 0, kind });

type Case = {
  readonly state?: Partial<GuardState>;
  readonly events?: readonly InboxEvent[];
  readonly history?: Partial<History>;
  readonly facts?: Partial<Facts>;
};

const decided = ({ state = {}, events = [], history = {}, facts = {} }: Case) =>
  decide({
    state: make.state({ placed: { head: HEAD, target: 'main' }, ...state }),
    events,
    facts: make.facts({ history: make.history(history), hasAuthorOutside: true, ...facts }),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
  });

const tellings = (commands: readonly Effect[]): readonly Effect[] =>
  commands.filter(({ kind }) => kind === 'tell_author');

const reviewed = (verdict: 'lgtm' | 'feedback', review = 1): Partial<History> => ({
  reviewsDone: review,
  reviewed: [
    {
      head: HEAD,
      base: make.sha('base'),
      fingerprint: make.print('x'),
      target: 'main',
      targetHead: make.sha('target'),
      rules: make.print('rules'),
      review,
      verdict,
    },
  ],
});

const exceeded = (): Partial<History> => {
  const { reviewed: inputs = [], ...rest } = reviewed('feedback');
  return { ...rest, reviewed: inputs.map((input) => ({ ...input, verdict: 'inconclusive', exceeded: true })) };
};

const SETTLED: Partial<GuardState> = { reviewed: [make.at(HEAD)], reviewsDone: 1 };

describe('an answer of a reviewer outside', () => {
  it.each(['review_feedback', 'review_lgtm'] as const)('%s wakes the run that reviews, and no other', (kind) => {
    const reviewing = make.run({ phase: 'reviewing' });
    const events = [message(kind)];
    expect(decided({ state: { running: reviewing }, events }).state.outbox).toEqual([
      { kind: 'resume_review', runId: reviewing.runId },
    ]);
    expect(decided({ state: { running: { ...reviewing, phase: 'posting' } }, events }).state.outbox).toEqual([]);
    expect(decided({ events }).state.outbox).toEqual([]);
  });
});

describe('an author outside hears', () => {
  it.each([
    [
      'the verdict of a round',
      reviewed('feedback'),
      { review: 1, verdict: 'feedback', failed: false, exceeded: false },
    ],
    [
      'F-F18: that a budget of the reviewer was used up',
      exceeded(),
      { review: 1, verdict: 'inconclusive', failed: false, exceeded: true },
    ],
    ['a pass', reviewed('lgtm', 2), { review: 2, verdict: 'lgtm', failed: false, exceeded: false }],
    [
      'that the first review failed',
      { closed: [make.at(HEAD)] },
      { review: 1, verdict: 'inconclusive', failed: true, exceeded: false },
    ],
    [
      'that a later review failed',
      { closed: [make.at(HEAD)], reviewsDone: 1 },
      { review: 2, verdict: 'inconclusive', failed: true, exceeded: false },
    ],
    [
      'that no round is left',
      { closed: [make.at(HEAD)], reviewsDone: 3 },
      { review: 3, verdict: 'inconclusive', failed: true, exceeded: false },
    ],
  ] as const)('%s', (_what, history, expected) => {
    const { state } = decided({ state: SETTLED, history });
    expect(tellings(state.outbox)).toEqual([{ kind: 'tell_author', head: HEAD, ...expected, atMs: make.NOW }]);
  });

  it('the same verdict once, and again when it or what became of a finding has changed or a human is called', () => {
    const open = { ...reviewed('feedback'), threads: [make.thread({ id: 'F-001' })] };
    const { authorNotifiedOf } = decided({ state: SETTLED, history: open }).state;
    const next = (history: Partial<History>): number =>
      tellings(decided({ state: { ...SETTLED, authorNotifiedOf }, history }).state.outbox).length;
    expect(next(open)).toBe(0);
    expect(next({ ...open, ...reviewed('lgtm') })).toBe(1);
    expect(next({ ...open, closed: [make.at(make.sha('another head'))] })).toBe(0);
    expect(next({ ...open, closed: [make.at(HEAD)] })).toBe(1);
    expect(next({ ...open, threads: [make.thread({ id: 'F-001', state: 'resolved' })] })).toBe(1);
  });

  it('the verdict again when it asks for one at a head that has it', () => {
    const { authorNotifiedOf } = decided({ state: SETTLED, history: reviewed('feedback') }).state;
    const events = [message('review_request')];
    const { state, steps } = decided({
      state: { ...SETTLED, authorNotifiedOf },
      history: reviewed('feedback'),
      events,
    });
    expect(tellings(state.outbox)).toHaveLength(1);
    expect(steps.at(-1)?.reason).toBe('the external author asked again, and the verdict still holds');
  });

  it('the verdict after a run that was active when it asked', () => {
    const { authorNotifiedOf } = decided({ state: SETTLED, history: reviewed('feedback') }).state;
    const running = make.replyRun({ head: HEAD });
    const events = [message('review_request')];
    const asked = decided({ state: { ...SETTLED, authorNotifiedOf, running }, history: reviewed('feedback'), events });
    expect(tellings(asked.state.outbox)).toEqual([]);
    const after = { ...asked.state, running: null, outbox: [] };
    expect(tellings(decided({ state: after, history: reviewed('feedback') }).state.outbox)).toHaveLength(1);
  });

  it.each<[string, Case]>([
    ['while a run is at work', { state: { ...SETTLED, running: make.run({ head: make.sha('next') }) } }],
    ['of a head that has no verdict', { history: { ...reviewed('feedback'), reviewed: [] }, state: {} }],
    ['where there is none', { facts: { hasAuthorOutside: false } }],
  ])('nothing %s', (_what, each) => {
    const { state } = decided({ state: SETTLED, history: reviewed('feedback'), ...each });
    expect([tellings(state.outbox), state.authorNotifiedOf]).toEqual([[], null]);
  });
});

test('an account of what was done asks for nothing', () => {
  const { state } = decided({ state: SETTLED, events: [message('review_addressed')] });
  expect([state.outbox, state.wanted]).toEqual([[], null]);
});
