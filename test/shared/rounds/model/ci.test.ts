import { describe, expect, it } from 'vitest';
import type { CommitStatus } from '../../../../shared/forge/port-statuses.ts';
import { ciReason, readCi } from '../../../../shared/rounds/model/ci.ts';

const status = (context: string, state: CommitStatus['state']): CommitStatus => ({
  context,
  state,
  description: '',
  createdAtMs: 0,
});
const read = (statuses: readonly CommitStatus[], ignoreContexts: readonly string[] = []) =>
  readCi({ statuses, required: [] }, { ignoreContexts }, LONG_AGO);

const LONG_AGO = { nowMs: 1_000, untilMs: 0 };

describe('the CI of a head', () => {
  it.each([
    ['nothing', []],
    ['our own status', [status('fixpoint', 'pending')]],
  ])('may still begin for a while where %s is recorded', (_what, statuses) => {
    const at = (nowMs: number) =>
      readCi({ statuses, required: [] }, { ignoreContexts: [] }, { nowMs, untilMs: 60_000 });
    expect(at(59_999)).toEqual({ kind: 'awaited', untilMs: 60_000 });
    expect(at(60_000)).toEqual({ kind: 'passed' });
  });

  it('is not waited for once anything is recorded, also what does not count', () => {
    const early = { nowMs: 0, untilMs: 60_000 };
    const read = (state: CommitStatus['state']) =>
      readCi({ statuses: [status('optional', state)], required: [] }, { ignoreContexts: ['optional'] }, early).kind;
    expect([read('success'), read('failure')]).toEqual(['passed', 'passed']);
  });

  it('has passed where nothing is recorded, or nothing but our own status', () => {
    expect(read([])).toEqual({ kind: 'passed' });
    expect(read([status('fixpoint', 'pending')])).toEqual({ kind: 'passed' });
    expect(read([status('fixpoint', 'failure')])).toEqual({ kind: 'passed' });
  });

  it.each<[CommitStatus['state'], 'passed' | 'failed' | 'pending']>([
    ['success', 'passed'],
    ['warning', 'passed'],
    ['skipped', 'passed'],
    ['pending', 'pending'],
    ['failure', 'failed'],
    ['error', 'failed'],
  ])('is read from a context that says %s as %s', (state, kind) => {
    expect(read([status('fixpoint', 'pending'), status('build', state)]).kind).toBe(kind);
  });

  it('has failed as soon as one part has, and names every part of the kind in order', () => {
    const all = [status('b', 'failure'), status('c', 'pending'), status('a', 'error'), status('d', 'success')];
    expect(read(all)).toEqual({ kind: 'failed', contexts: ['a', 'b'] });
    expect(read(all, ['a', 'b'])).toEqual({ kind: 'pending', contexts: ['c'] });
  });

  it.each<[string, string, boolean]>([
    ['build', 'build', true],
    ['build', 'build (pull)', false],
    ['build*', 'build (pull)', true],
    ['*optional*', 'job: optional', true],
    ['*', '', true],
    ['ci/*/lint', 'ci/web/lint', true],
    ['ci/*/lint', 'ci/lint', false],
    ['a*a', 'a', false],
    ['a*b*c', 'aXXbYYc', true],
    ['a*b*c', 'aXXcYYb', false],
    ['a*bc*c', 'abc', false],
    ['Build', 'build', false],
  ])('with %s ignored, %j does not count: %s', (pattern, context, ignored) => {
    expect(read([status(context, 'failure')], [pattern]).kind).toBe(ignored ? 'passed' : 'failed');
  });

  it('is told in words that break no table and no code span', () => {
    expect(ciReason(null)).toBeNull();
    expect(ciReason({ kind: 'passed' })).toBeNull();
    expect(ciReason({ kind: 'failed', contexts: ['a`b', 'c\nd'] })).toBe("CI has failed: `a'b`, `c d`");
    const many = Array.from({ length: 12 }, (_, index) => `job-${index}`);
    expect(ciReason({ kind: 'pending', contexts: many })).toMatch(/^CI has not ended in time: `job-0`.* and 2 more$/);
    expect(ciReason({ kind: 'awaited', untilMs: 1 })).toBe('CI had not started at this head yet');
    expect(ciReason({ kind: 'unreadable' })).toContain('cannot read');
  });
});

describe('what the target branch requires', () => {
  const passed = { context: 'ci / test', state: 'success', description: '', createdAtMs: 0 } as const;
  const readWith = (required: readonly string[], ignoreContexts: readonly string[] = []) =>
    readCi({ statuses: [passed], required }, { ignoreContexts }, LONG_AGO);

  it.each([
    ['is there', ['ci / test'], [], { kind: 'passed' }],
    ['is there by a pattern', ['ci / *'], [], { kind: 'passed' }],
    ['is not recorded yet', ['ci / deploy'], [], { kind: 'pending', contexts: ['ci / deploy'] }],
    ['is not recorded by a pattern', ['e2e*'], [], { kind: 'pending', contexts: ['e2e*'] }],
    ['is the status of the bot', ['fixpoint'], [], { kind: 'passed' }],
    ['is ignored by the operator', ['ci / deploy'], ['ci / deploy'], { kind: 'passed' }],
  ] as const)('%s', (_, required, ignored, expected) => {
    expect(readWith(required, ignored)).toEqual(expected);
  });
});
