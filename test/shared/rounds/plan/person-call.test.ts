import { describe, expect, it } from 'vitest';
import { difference } from '../../../../shared/rounds/plan/difference.ts';
import type { OwnMarker } from '../../../../shared/rounds/memory/own-markers.ts';
import { callForBlocking, callForThread } from '../../../../shared/rounds/plan/person-call.ts';
import { plannedReplies } from '../../../../shared/rounds/plan/plan-threads.ts';
import { buildGiveUpPlan } from '../../../../shared/rounds/plan/give-up-plan.ts';
import type { Handled } from '../../../../shared/rounds/model/gate-result.ts';
import type { HandoffMarker } from '../../../../shared/rounds/model/marker-payload.ts';
import type { Action } from '../../../../shared/vocabulary/finding.ts';
import * as make from '../builders.ts';

const handled = (action: Action, state: Handled['next']['state']): Handled => {
  const thread = make.thread({ state: 'open' });
  const { count, stance, severity } = thread;
  return {
    thread,
    answer: { findingId: thread.id, stance, action, severity, body: 'Because.' },
    next: { state, count: count + 1, stance, severity },
  };
};

const callsOf = (action: Action, state: Handled['next']['state']) => {
  const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
  const input = { ...context, run: make.run(), draft: make.draft() };
  return plannedReplies({ ...input, gated: { handled: [handled(action, state)] } }).map(({ calls }) => calls);
};

describe('a reply in a thread', () => {
  it('calls a person, for the file of its finding, exactly where the thread is settled', () => {
    const calls = callForThread(make.thread({ state: 'open' }));
    expect(callsOf('veto', 'vetoed')).toEqual([calls]);
    expect(callsOf('escalate', 'escalated')).toEqual([calls]);
    expect(callsOf('reply', 'open')).toEqual([undefined]);
    expect(callsOf('resolve', 'resolved')).toEqual([]);
  });
});

describe('a hand-off', () => {
  it('calls for the files of what blocks, graver ones first, each once, ten at most', () => {
    const place = (path: string) => ({ ...make.thread({}).place, path });
    const threads = [
      make.thread({ state: 'open', severity: 'P2', blocking: true, place: place('p2') }),
      make.thread({ state: 'open', severity: 'P3', blocking: false, place: place('nit') }),
      make.thread({ state: 'resolved', severity: 'P0', blocking: true, place: place('done') }),
      make.thread({ state: 'vetoed', severity: 'P1', blocking: true, place: place('p1') }),
    ];
    expect(callForBlocking(threads, ['new', 'p1'])).toEqual({ paths: ['p1', 'p2', 'new'] });
    const many = Array.from({ length: 12 }, (_, index) => `${index}`);
    expect(callForBlocking([], many).paths).toEqual(many.slice(0, 10));
  });

  const context = () => {
    const threads = [make.thread({ state: 'open', severity: 'P1', blocking: true })];
    return { facts: make.changeRequest(), history: make.history({ threads }), policy: make.policy() };
  };
  const planOf = (head = make.sha('a')) =>
    buildGiveUpPlan(context(), make.run({ head }), { code: 'RUN_OVERDUE', lastWords: null });
  const [first] = planOf().notices;
  if (first?.marker.kind !== 'handoff') throw new Error('there is no hand-off');

  it('says for which files somebody is called', () => {
    expect(first).toMatchObject({ mention: true, calls: callForThread(make.thread({})) });
  });

  it('that is edited remembers whom its first text has called', () => {
    const payload: HandoffMarker = { ...(first.marker as HandoffMarker), called: ['ann'] };
    const own: OwnMarker = { payload, comment: make.comment('x') };
    const { notices, calls } = difference(planOf(make.sha('b')), [own], new Set());
    expect(notices).toEqual([]);
    expect(calls.map(({ notice }) => notice.marker)).toEqual([expect.objectContaining({ called: ['ann'] })]);
  });
});
