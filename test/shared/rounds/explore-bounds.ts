/** The numbers that `fixpoint bound` prints, against the longest paths. */
import {
  maxAttempts,
  maxComments,
  maxCycles,
  maxCyclesFrom,
  maxGiveUps,
  maxStartedRuns,
} from '../../../shared/rounds/bound/bound.ts';
import { type Policy, withGrants } from '../../../shared/rounds/model/policy.ts';
import { maxFixes } from '../../../shared/rounds/model/fixes.ts';
import { cutAt, type Graph, longest, longestPaths } from './explore-graph.ts';
import type { Costs, Setting, World } from './explore-world.ts';

type Limit = readonly [name: keyof Costs, found: number, allowed: number];

const COUNTED = ['runs', 'rounds', 'fixes', 'cycles', 'giveUps', 'comments'] as const;

export const wrongBounds = ({ policy: before, threads, people }: Setting, graph: Graph<World>): readonly string[] => {
  const policy = withGrants(before, graph.worlds[0]?.grants ?? 0);
  const { max, maxRuns, threadCount } = policy.rounds;
  const faults = graph.worlds[0]?.faults ?? 0;
  // Each ends one run more, which is not counted and gives up in words of its own.
  const outages = graph.worlds[0]?.outages ?? 0;
  const found = longestPaths(graph, graph.edges, COUNTED);
  const attempts = attemptsOfReview(graph);
  const raised = threads > 0 ? [threads] : [];
  return [
    ...unequal([
      ['runs', found.runs, maxStartedRuns(policy) + outages],
      ['rounds', found.rounds, Math.min(max, maxRuns, threads * (threadCount + 1))],
      ['fixes', found.fixes, policy.author.enabled && threads > 0 ? maxFixes(before) : 0],
      ['cycles', found.cycles + 1, threads > 0 ? cyclesOf(policy, people) : 1],
      ['handoffs', handoffsOfHead(graph), 1],
      ...(faults > 0 ? [] : [['attempts', attempts, maxAttempts(policy)] as const]),
      // An answer that waits after the last run is handed off without one.
      ...(faults > 0 || people.includes('answer')
        ? []
        : [['giveUps', found.giveUps, maxGiveUps(policy) + outages] as const]),
    ]),
    // After a wipe an attempt that was announced has not failed, and reviews that never began are handed off once more.
    ...beyond([
      ['attempts', attempts, maxAttempts(policy) + faults],
      ['comments', found.comments, maxComments(policy, raised) + 2 * faults * maxGiveUps(policy) + outages],
    ]),
  ];
};

/** Between two rounds a thread goes on only where somebody answers. */
const cyclesOf = (policy: Policy, people: Setting['people']): number =>
  people.includes('answer')
    ? maxCyclesFrom(policy, 1)
    : Math.min(maxCycles(policy), Math.max(2, policy.rounds.max), policy.rounds.maxRuns);

/** Until its review is posted, or a human is called. */
const attemptsOfReview = (graph: Graph<World>): number => {
  const cut = cutAt(graph, 'to', ({ reviews = 0, giveUps = 0 }) => reviews + giveUps > 0);
  return longest(cut, cut.edges, 'attempts');
};

/** From the push that brings it until the next one: what came before is edited, and worlds forget it. */
const handoffsOfHead = (graph: Graph<World>): number => {
  const cut = cutAt(graph, 'from', ({ pushes = 0 }) => pushes > 0);
  return longest(cut, cut.edges, 'handoffs');
};

const unequal = (limits: readonly Limit[]): readonly string[] =>
  limits.flatMap(([name, most, allowed]) => (most === allowed ? [] : [`${most} ${name} instead of ${allowed}`]));

const beyond = (limits: readonly Limit[]): readonly string[] =>
  limits.flatMap(([name, most, allowed]) => (most <= allowed ? [] : [`${most} ${name}, more than ${allowed}`]));
