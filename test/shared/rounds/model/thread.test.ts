import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  legalActions,
  openThread,
  stepThread,
  type ThreadMove,
  type WeighedThread,
} from '../../../../shared/rounds/model/thread.ts';
import { Action, Severity, Stance } from '../../../../shared/vocabulary/finding.ts';

const rules = { threadCount: 2, stage: 'open' } as const;

/** A new thread that blocks. */
const opened = (severity: Severity): WeighedThread => ({ ...openThread(severity), blocking: true });
const seeks = (action: ThreadMove['action']): ThreadMove => ({ stance: 'seeks_change', action, severity: null });

/** Every thread that one more cycle can lead to, by any move that anybody can make. */
const successors = (thread: WeighedThread, threadCount: number): readonly WeighedThread[] =>
  Stance.options.flatMap((stance) =>
    Action.options.flatMap((action) =>
      [null, ...Severity.options].flatMap((severity) => {
        const step = stepThread(thread, { stance, action, severity }, { threadCount, stage: 'open' });
        return step.kind === 'moved' ? [{ ...step.thread, blocking: thread.blocking }] : [];
      }),
    ),
  );

const longestLife = (thread: WeighedThread, threadCount: number): number =>
  thread.state === 'open'
    ? 1 + Math.max(...successors(thread, threadCount).map((next) => longestLife(next, threadCount)))
    : 0;

describe('the thread machine', () => {
  it.each([2, 3, 4])('X1: lives exactly K + 1 cycles at most, for K = %i', (threadCount) => {
    const opening = 1;
    expect(opening + longestLife(opened('P1'), threadCount)).toBe(threadCount + 1);
  });

  it('X2: counts up whatever the stance, so alternating stances cannot reply for ever', () => {
    const first = stepThread(opened('P1'), seeks('reply'), rules);
    expect(first).toEqual({
      kind: 'moved',
      thread: { state: 'open', count: 1, stance: 'seeks_change', severity: 'P1' },
    });
    const flipped: WeighedThread = { ...opened('P1'), count: 1, stance: 'accepts' };
    expect(stepThread(flipped, seeks('reply'), rules)).toEqual({
      kind: 'illegal',
      reason: 'reply is not allowed here; allowed: resolve, veto, escalate',
    });
  });

  it.each([
    [opened('P1'), rules, ['resolve', 'veto', 'escalate', 'reply']],
    [{ ...opened('P1'), count: 1 }, rules, ['resolve', 'veto', 'escalate']],
    [opened('P1'), { threadCount: 2, stage: 'final' }, ['resolve', 'veto', 'escalate']],
    [opened('P1'), { threadCount: 2, stage: 'closing' }, ['resolve']],
    [{ ...opened('P2'), blocking: false }, rules, ['resolve', 'escalate', 'reply']],
    [{ ...opened('P2'), blocking: false, count: 1 }, rules, ['resolve', 'escalate']],
    [{ ...opened('P1'), blocking: false }, rules, ['resolve', 'veto', 'escalate', 'reply']],
    [{ ...opened('P1'), count: 2 }, { threadCount: 4, stage: 'open' }, ['resolve', 'veto', 'escalate', 'reply']],
    [{ ...opened('P1'), state: 'resolved' as const }, rules, []],
    [{ ...opened('P1'), state: 'vetoed' as const }, rules, []],
  ] as const)('offers for %j under %j the actions %j', (thread, given, expected) => {
    expect(legalActions(thread, given)).toEqual(expected);
  });

  it.each([null, 'P1', 'P2'] as const)('refuses to escalate a P1 to %s', (severity) => {
    const step = stepThread(opened('P1'), { stance: 'seeks_change', action: 'escalate', severity }, rules);
    expect(step).toEqual({ kind: 'illegal', reason: 'escalate needs a severity above P1' });
  });

  it.each(['veto', 'escalate', 'reply'] as const)('refuses %s with the stance accepts', (action) => {
    const step = stepThread(opened('P2'), { stance: 'accepts', action, severity: 'P0' }, rules);
    expect(step).toEqual({ kind: 'illegal', reason: 'stance accepts requires the action resolve' });
  });

  it.each([
    ['P2', 'P1', 'moved'],
    ['P2', 'P2', 'illegal'],
    ['P2', 'P3', 'illegal'],
    ['P2', null, 'illegal'],
    ['P0', 'P0', 'moved'],
    ['P0', 'P1', 'illegal'],
  ] as const)('escalates a %s to %s: %s', (from, to, kind) => {
    const step = stepThread(opened(from), { stance: 'seeks_change', action: 'escalate', severity: to }, rules);
    expect(step.kind).toBe(kind);
  });

  it.each([
    ['P2', 'P1', 'moved'],
    ['P3', 'P0', 'moved'],
    ['P3', 'P2', 'illegal'],
  ] as const)('escalates a %s that does not block to %s: %s', (from, to, kind) => {
    const thread = { ...opened(from), blocking: false };
    const step = stepThread(thread, { stance: 'seeks_change', action: 'escalate', severity: to }, rules);
    expect(step.kind).toBe(kind);
  });

  it('never changes a thread by an illegal move, and never opens one again', () => {
    const anyThread = fc.record({
      state: fc.constantFrom('open', 'resolved', 'vetoed', 'escalated'),
      count: fc.nat(6),
      stance: fc.constantFrom(...Stance.options),
      severity: fc.constantFrom(...Severity.options),
      blocking: fc.boolean(),
    });
    const anyMove = fc.record({
      stance: fc.constantFrom(...Stance.options),
      action: fc.constantFrom(...Action.options),
      severity: fc.option(fc.constantFrom(...Severity.options)),
    });
    fc.assert(
      fc.property(anyThread, anyMove, fc.integer({ min: 2, max: 4 }), (thread, move, threadCount) => {
        const step = stepThread(thread, move, { threadCount, stage: 'open' });
        if (step.kind === 'illegal') return;
        expect(thread.state).toBe('open');
        expect(step.thread.count).toBe(thread.count + 1);
        expect(step.thread.severity <= thread.severity).toBe(true);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
