import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  legalActions,
  openThread,
  stepThread,
  type ThreadMove,
  type ThreadProgress,
} from '../../../../shared/rounds/model/thread.ts';
import { Action, Severity, Stance } from '../../../../shared/vocabulary/finding.ts';

const rules = { threadCount: 2, finalRound: false };
const seeks = (action: ThreadMove['action']): ThreadMove => ({ stance: 'seeks_change', action, severity: null });

/** Every thread that one more cycle can lead to, by any move that anybody can make. */
const successors = (thread: ThreadProgress, threadCount: number): readonly ThreadProgress[] =>
  Stance.options.flatMap((stance) =>
    Action.options.flatMap((action) =>
      [null, ...Severity.options].flatMap((severity) => {
        const step = stepThread(thread, { stance, action, severity }, { threadCount, finalRound: false });
        return step.kind === 'moved' ? [step.thread] : [];
      }),
    ),
  );

const longestLife = (thread: ThreadProgress, threadCount: number): number =>
  thread.state === 'open'
    ? 1 + Math.max(...successors(thread, threadCount).map((next) => longestLife(next, threadCount)))
    : 0;

describe('the thread machine', () => {
  it.each([2, 3, 4])('X1: lives exactly K + 1 cycles at most, for K = %i', (threadCount) => {
    const opening = 1;
    expect(opening + longestLife(openThread('P1'), threadCount)).toBe(threadCount + 1);
  });

  it('X2: counts up whatever the stance, so alternating stances cannot reply for ever', () => {
    const first = stepThread(openThread('P1'), seeks('reply'), rules);
    expect(first).toEqual({
      kind: 'moved',
      thread: { state: 'open', count: 1, stance: 'seeks_change', severity: 'P1' },
    });
    const flipped: ThreadProgress = { state: 'open', count: 1, stance: 'accepts', severity: 'P1' };
    expect(stepThread(flipped, seeks('reply'), rules)).toEqual({
      kind: 'illegal',
      reason: 'reply is not legal here; legal: resolve, veto, escalate',
    });
  });

  it.each([
    [openThread('P1'), rules, ['resolve', 'veto', 'escalate', 'reply']],
    [{ ...openThread('P1'), count: 1 }, rules, ['resolve', 'veto', 'escalate']],
    [openThread('P1'), { threadCount: 2, finalRound: true }, ['resolve', 'veto', 'escalate']],
    [
      { ...openThread('P1'), count: 2 },
      { threadCount: 4, finalRound: false },
      ['resolve', 'veto', 'escalate', 'reply'],
    ],
    [{ ...openThread('P1'), state: 'resolved' as const }, rules, []],
    [{ ...openThread('P1'), state: 'vetoed' as const }, rules, []],
  ])('offers for %j under %j the actions %j', (thread, given, expected) => {
    expect(legalActions(thread, given)).toEqual(expected);
  });

  it.each(['veto', 'escalate', 'reply'] as const)('refuses %s with the stance accepts', (action) => {
    const step = stepThread(openThread('P2'), { stance: 'accepts', action, severity: 'P0' }, rules);
    expect(step).toEqual({ kind: 'illegal', reason: 'stance accepts means resolve' });
  });

  it.each([
    ['P2', 'P1', 'moved'],
    ['P2', 'P2', 'illegal'],
    ['P2', 'P3', 'illegal'],
    ['P2', null, 'illegal'],
    ['P0', 'P0', 'moved'],
    ['P0', 'P1', 'illegal'],
  ] as const)('escalates a %s to %s: %s', (from, to, kind) => {
    const step = stepThread(openThread(from), { stance: 'seeks_change', action: 'escalate', severity: to }, rules);
    expect(step.kind).toBe(kind);
  });

  it('never changes a thread by an illegal move, and never opens one again', () => {
    const anyThread = fc.record({
      state: fc.constantFrom('open', 'resolved', 'vetoed', 'escalated'),
      count: fc.nat(6),
      stance: fc.constantFrom(...Stance.options),
      severity: fc.constantFrom(...Severity.options),
    });
    const anyMove = fc.record({
      stance: fc.constantFrom(...Stance.options),
      action: fc.constantFrom(...Action.options),
      severity: fc.option(fc.constantFrom(...Severity.options)),
    });
    fc.assert(
      fc.property(anyThread, anyMove, fc.integer({ min: 2, max: 4 }), (thread, move, threadCount) => {
        const step = stepThread(thread, move, { threadCount, finalRound: false });
        if (step.kind === 'illegal') return;
        expect(thread.state).toBe('open');
        expect(step.thread.count).toBe(thread.count + 1);
        expect(step.thread.severity <= thread.severity).toBe(true);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
