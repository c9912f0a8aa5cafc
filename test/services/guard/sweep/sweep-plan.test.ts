import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FoundProject, planPass } from '../../../../services/guard/sweep/sweep-plan.ts';
import { createSweepMeter } from '../../../../services/guard/sweep/sweep-meter.ts';
import { parseProjectScope } from '../../../../shared/config/projects/project-scope.ts';
import type { PendingProject } from '../../../../shared/store/sweep/sweep-progress.ts';

const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 3_000 : 150;
const ALL = parseProjectScope(['*']);

const found = (path: string, activeAtMs: number | null, id: number | null = null): FoundProject => ({
  id,
  path,
  activeAtMs,
});
const left = (path: string, id: number | null = null): PendingProject => ({ id, path });

describe('the order of a pass', () => {
  test.each<
    [name: string, leftovers: readonly PendingProject[], found: readonly FoundProject[], order: readonly string[]]
  >([
    [
      'begins with the most recently active',
      [],
      [found('a/1', 1), found('a/3', 3), found('a/2', 2)],
      ['a/3', 'a/2', 'a/1'],
    ],
    ['puts what nothing is known of first', [], [found('a/1', 9), found('a/new', null)], ['a/new', 'a/1']],
    [
      'puts what was left over before everything, in its order',
      [left('a/old'), left('a/older')],
      [found('a/hot', 9), found('a/older', 5), found('a/old', 1)],
      ['a/old', 'a/older', 'a/hot'],
    ],
    ['names each once, in any case', [left('A/One')], [found('a/one', 1), found('a/ONE', 2)], ['a/ONE']],
    ['keeps what could not be listed this time', [left('a/hidden')], [found('a/1', 1)], ['a/hidden', 'a/1']],
  ])('%s', (_, leftovers, all, order) => {
    const planned = planPass(ALL, leftovers, all);
    expect(planned.map(({ path }) => path.toLowerCase())).toEqual(order.map((path) => path.toLowerCase()));
  });

  test('drops what has left the scope', () => {
    const scope = parseProjectScope(['a/*']);
    expect(planPass(scope, [left('b/1', 1), left('a/1', 2)], [])).toEqual([left('a/1', 2)]);
  });

  test('takes the id from whoever knows it', () => {
    expect(planPass(ALL, [left('a/1')], [found('a/1', 1, 7)])).toEqual([left('a/1', 7)]);
    expect(planPass(ALL, [left('a/1', 7)], [found('a/1', 1)])).toEqual([left('a/1', 7)]);
  });

  test('lets nobody starve, however few are looked at in each pass and whoever is active', () => {
    const world = fc.record({
      projects: fc.integer({ min: 1, max: 30 }),
      perPass: fc.integer({ min: 1, max: 10 }),
      activity: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 30, maxLength: 30 }),
    });
    const law = fc.property(world, ({ projects, perPass, activity }) => {
      const all = Array.from({ length: projects }, (_, index) => found(`a/${index}`, activity[index] ?? 0, index + 1));
      const seen = new Set<string>();
      let leftovers: readonly PendingProject[] = [];
      const passes = Math.ceil(projects / perPass);
      for (let pass = 0; pass < passes; pass += 1) {
        const order = planPass(ALL, leftovers, all);
        for (const { path } of order.slice(0, perPass)) seen.add(path);
        leftovers = order.slice(perPass);
        // What was looked at goes back behind those that wait.
        leftovers = leftovers.filter(({ path }) => !seen.has(path));
      }
      expect(seen.size).toBe(projects);
    });
    fc.assert(law, { seed: 11, numRuns: RUNS });
  });
});

describe('the meter', () => {
  test.each<[perSecond: number, spent: number, isUsedUp: boolean]>([
    [5, 4, false],
    [5, 5, true],
    [5, 9, true],
    [0.5, 0, false],
    [0.5, 1, true],
  ])('at %d a second is used up after %d: %s', (perSecond, spent, isUsedUp) => {
    const meter = createSweepMeter(perSecond);
    meter.spend(spent);
    expect(meter.isUsedUp()).toBe(isUsedUp);
  });

  test.each<[perSecond: number, spent: number, elapsedMs: number, restMs: number]>([
    [5, 5, 0, 1000],
    [5, 5, 400, 600],
    [5, 5, 1500, 0],
    [0.5, 3, 0, 6000],
    [3, 1, 0, 334],
  ])('at %d a second rests after %d requests in %d ms for %d ms', (perSecond, spent, elapsedMs, restMs) => {
    const meter = createSweepMeter(perSecond);
    meter.spend(spent);
    expect(meter.restMs(elapsedMs)).toBe(restMs);
  });
});
