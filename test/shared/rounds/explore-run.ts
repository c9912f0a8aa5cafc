/** The walk over whole change requests, and what must hold on every step of it. */
import { maxCycles, maxGiveUps } from '../../../shared/rounds/bound.ts';
import { maxFixes } from '../../../shared/rounds/fix-conditions.ts';
import { canonical } from './explore-canonical.ts';
import { withGrants } from '../../../shared/rounds/grants.ts';
import { forgetMarkers } from './explore-forge.ts';
import { cycleAmong, type Edge, type Graph, longestPaths, walk } from './explore-graph.ts';
import { NOISE, type Step, stepsOf } from './explore-moves.ts';
import { type Costs, freshWorld, keyOfWorld, reread, type Setting, type World } from './explore-world.ts';
import { reducing } from './explore-reduce.ts';
import { isFalling, rankOf } from './explore-rank.ts';

export type Explored = {
  readonly graph: Graph<World>;
  /** By edge: whether people caused it. */
  readonly human: readonly boolean[];
  /** What the reducers did that they must never do. */
  readonly broken: readonly string[];
};

export const explore = (
  setting: Setting,
  {
    faults = 0,
    grants = 0,
    maxStates = 400_000,
  }: Partial<Pick<World, 'faults' | 'grants'>> & {
    readonly maxStates?: number;
  } = {},
  form: (world: World) => World = reducing(setting),
): Explored => {
  forgetMarkers();
  const human: boolean[] = [];
  const broken = new Set<string>();
  const moves = (world: World): readonly Step[] => {
    const steps = stepsOf(setting, world).map((step) => ({ ...step, to: form(step.to) }));
    for (const step of steps) {
      human.push(step.human);
      for (const what of step.broken) broken.add(what);
    }
    return steps;
  };
  const graph = walk({
    starts: [canonical(reread(setting, freshWorld({ faults, grants })))],
    moves,
    keyOf: keyOfWorld,
    maxStates,
  });
  return { graph, human, broken: [...broken] };
};

const byMachines = ({ graph, human }: Explored): readonly Edge[] =>
  graph.edges.filter((_, index) => human[index] !== true);

/** What is wrong with the reducers; nothing in production. */
export const runProblems = (setting: Setting, explored: Explored): readonly string[] => {
  const { graph, broken } = explored;
  const alone = byMachines(explored);
  const cycle = cycleAmong(graph, alone);
  return [
    ...broken,
    ...(cycle === null ? [] : [`machines go round: ${cycle.join('; ')}`]),
    ...restless(alone),
    ...unfallen(setting, graph, alone),
    ...heardNoise(explored, alone),
    ...wrongBounds(setting, explored),
  ];
};

/** What changes nothing costs nothing, or it would cost something for ever. */
const restless = (edges: readonly Edge[]): readonly string[] => [
  ...new Set(
    edges
      .filter(({ from, to, weights }) => from === to && (weights['orders'] ?? 0) > 0)
      .map(({ label }) => `${label} is answered each time`),
  ),
];

/** Guard may go on with what waits already; that bots and strangers speak must make nothing wait. */
const heardNoise = ({ graph }: Explored, edges: readonly Edge[]): readonly string[] => {
  const isIdle = (world: World | undefined): boolean => world?.state?.wanted === null && world.state.quiet === null;
  const heard = edges.some(
    ({ from, to, label }) => label === NOISE && isIdle(graph.worlds[from]) && !isIdle(graph.worlds[to]),
  );
  return heard ? [`${NOISE}, and are heard`] : [];
};

const unfallen = (setting: Setting, { worlds }: Graph<World>, edges: readonly Edge[]): readonly string[] => {
  const ranks = worlds.map((world) => rankOf(setting, world));
  const rising = edges.filter(({ from, to }) => from !== to && !isFalling(ranks[from] ?? [], ranks[to] ?? []));
  return [
    ...new Set(
      rising.map(({ label, from, to }) => `${label} lowers no rank: ${String(ranks[from])} to ${String(ranks[to])}`),
    ),
  ].slice(0, 20);
};

type Limit = readonly [name: keyof Costs, found: number, allowed: number];

const COUNTED = ['runs', 'rounds', 'fixes', 'cycles', 'giveUps'] as const;

/** The numbers that `fixpoint bound` prints, against the longest paths. */
const wrongBounds = ({ policy, threads, people }: Setting, { graph }: Explored): readonly string[] => {
  const { author } = policy;
  const grants = graph.worlds[0]?.grants ?? 0;
  const hasFaults = graph.worlds.some(({ faults }) => faults > 0);
  const { max, maxRuns } = withGrants(policy, grants).rounds;
  const found = longestPaths(graph, graph.edges, COUNTED);
  // Between two rounds a thread goes on only where somebody answers.
  const runsOfThread = people.includes('answer') ? maxRuns : max;
  const cycles = threads > 0 ? Math.min(maxCycles(policy), runsOfThread) : 1;
  // An answer that waits after the last run is handed off without one; a wipe may repeat a hand-off that nobody saw.
  const giveUps: readonly Limit[] =
    people.includes('answer') || hasFaults ? [] : [['giveUps', found.giveUps, maxGiveUps(withGrants(policy, grants))]];
  const limits: readonly Limit[] = [
    ['runs', found.runs, maxRuns],
    ['rounds', found.rounds, max],
    ['fixes', found.fixes, author.enabled && threads > 0 ? maxFixes(policy) : 0],
    ['cycles', found.cycles + 1, cycles],
    ...giveUps,
  ];
  return limits.flatMap(([name, most, allowed]) => (most === allowed ? [] : [`${most} ${name} instead of ${allowed}`]));
};
