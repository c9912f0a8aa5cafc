import { describe, expect, it } from 'vitest';
import { shardOf } from '../../support/deep.ts';
import { cutAt, cycleAmong, longest, walk } from './explore-graph.ts';
import { PRODUCTION } from './explore-reducers.ts';
import { EVERY, PLOTS, type Plot, walkPlot } from './explore-settings.ts';
import { threadProblems, walkThread } from './explore-thread.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

/** A loaded machine walks slowly. */
const WALK_MS = DEEP ? 3_600_000 : 240_000;

describe('one thread', () => {
  it.each([2, 3, 4])(
    'X1: ends after K + 1 cycles, without going round, and each move lowers its rank (K = %d)',
    (k) => {
      expect(threadProblems(PRODUCTION, k)).toEqual([]);
      expect(walkThread(PRODUCTION, k).worlds.length).toBeGreaterThan(k * 4);
    },
  );
});

const QUICK = [
  'attempts',
  'carries',
  'reports',
  'ciReports',
  'threads',
  'handedOver',
  'wipes',
  'quiet',
  'retargets',
  'outages',
] as const;

/** More shards than walks leave some of them without one. */
const usual = shardOf('walks of the usual run', QUICK);

describe.runIf(usual.length > 0)('a change request', () => {
  it.each(usual)('comes to rest by itself and reaches the printed bounds exactly: %s', { timeout: WALK_MS }, (name) => {
    const { explored, problems } = walkPlot(PRODUCTION, PLOTS[name]);
    expect(problems).toEqual([]);
    expect(explored.graph.worlds.length).toBeGreaterThan(100);
  });
});

describe('the comments of a walk', () => {
  it('are the summary, a finding and its answer, a changed verdict, and one call', () => {
    const { graph } = walkPlot(PRODUCTION, PLOTS.handedOver).explored;
    expect(longest(graph, graph.edges, 'comments')).toBe(1 + 2 + 1 + 1);
  });
});

/** What people, bots, wipes and an author add. */
const MORE: readonly Plot[] = [
  PLOTS.heads,
  PLOTS.silent,
  PLOTS.silentAttempts,
  PLOTS.half,
  PLOTS.unverified,
  PLOTS.closing,
  PLOTS.raised,
  PLOTS.fixed,
  PLOTS.fixes,
  PLOTS.answers,
  PLOTS.grants,
  PLOTS.retargetsTwice,
  PLOTS.outagesTwice,
  { rounds: { max: 2, maxRuns: 2, attempts: 1 }, scope: { threads: 1, people: ['answer'] } },
  { rounds: { max: 2, maxRuns: 2, attempts: 1 }, scope: { threads: 1, reports: true } },
  { rounds: { max: 1, maxRuns: 1, attempts: 1 }, scope: { threads: 1, people: ['answer'], reports: true } },
  {
    rounds: { max: 1, maxRuns: 1, attempts: 1 },
    scope: { threads: 0, quietMs: 1000, people: ['close'], reports: true },
  },
  { rounds: { max: 1, maxRuns: 1, attempts: 1 }, scope: { threads: 0, reports: true }, more: { faults: 1 } },
  { rounds: { max: 1, maxRuns: 1, attempts: 1 }, scope: { threads: 0, reports: true }, more: { outages: 1 } },
  { rounds: { max: 2, maxRuns: 3, attempts: 2 }, scope: { threads: 1 }, more: { faults: 1 } },
];

describe.runIf(DEEP)('every change request', () => {
  it.each(shardOf('walks with people or an author', MORE))(
    'comes to rest by itself and reaches the printed bounds exactly: %j',
    { timeout: WALK_MS },
    (plot) => {
      expect(walkPlot(PRODUCTION, plot).problems).toEqual([]);
    },
  );

  it.each(shardOf('walks of every size', EVERY))(
    'comes to rest by itself and reaches the printed bounds exactly: R $rounds.max, K $rounds.threadCount, A $rounds.attempts, $scope.threads threads, N $rounds.maxRuns, S $rounds.maxSilent, C $rounds.maxCarried',
    { timeout: WALK_MS },
    (plot) => {
      expect(walkPlot(PRODUCTION, plot).problems).toEqual([]);
    },
  );
});

describe('the walks together', () => {
  it('take every number of rounds, every K, every number of attempts and of threads, each with each', () => {
    const walked = new Set(
      EVERY.map(({ rounds, scope }) => [rounds.max, rounds.threadCount, rounds.attempts, scope.threads].join(' ')),
    );
    // Without a thread K is never read.
    expect(walked.size).toBe(4 * 3 * (1 + 3 * 3));
  });
});

describe('the walk itself', () => {
  const graphOf = (moves: Readonly<Record<string, readonly (readonly [to: string, cost: number])[]>>) =>
    walk({
      starts: ['a'],
      moves: (at: string) => (moves[at] ?? []).map(([to, cost]) => ({ to, label: `${at}${to}`, weights: { cost } })),
      keyOf: (at) => at,
    });

  it('finds the longest path, not the shortest', () => {
    const graph = graphOf({
      a: [
        ['d', 1],
        ['b', 1],
      ],
      b: [['c', 1]],
      c: [['d', 1]],
    });
    expect(longest(graph, graph.edges, 'cost')).toBe(3);
    expect(cycleAmong(graph, graph.edges)).toBeNull();
  });

  it('finds a cycle, and that it costs without an end', () => {
    const graph = graphOf({ a: [['b', 0]], b: [['c', 1]], c: [['b', 0]] });
    expect(cycleAmong(graph, graph.edges)).toEqual(['bc', 'cb']);
    expect(longest(graph, graph.edges, 'cost')).toBe(Infinity);
  });

  it('begins and ends paths anew where they are cut', () => {
    const graph = graphOf({ a: [['b', 1]], b: [['c', 2]], c: [['d', 4]] });
    const isSecond = ({ cost = 0 }: Readonly<Record<string, number>>): boolean => cost === 2;
    const most = (['from', 'to'] as const).map((side) => {
      const cut = cutAt(graph, side, isSecond);
      return longest(cut, cut.edges, 'cost');
    });
    expect(most).toEqual([2 + 4, 4]);
  });

  it('takes a move that changes nothing for rest, unless it costs', () => {
    const graph = graphOf({
      a: [
        ['a', 0],
        ['b', 2],
      ],
    });
    expect(cycleAmong(graph, graph.edges)).toBeNull();
    expect(longest(graph, graph.edges, 'cost')).toBe(2);
  });

  it('gives up where there is no end', () => {
    const endless = () =>
      walk({ starts: [0], moves: (at) => [{ to: at + 1, label: 'on' }], keyOf: String, maxStates: 50 });
    expect(endless).toThrow('more than 50 states');
  });
});
