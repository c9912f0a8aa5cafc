/** The walk over whole change requests, and what must hold on every step of it. */
import { canonical } from './explore-canonical.ts';
import { wrongBounds } from './explore-bounds.ts';
import { forgetMarkers } from './explore-forge.ts';
import { cycleAmong, type Edge, type Graph, walk } from './explore-graph.ts';
import { H0 } from './explore-names.ts';
import { NOISE, type Step, stepsOf } from './explore-moves.ts';
import { freshWorld, keyOfWorld, reread, type Setting, type World } from './explore-world.ts';
import { calledFor } from '../../../shared/rounds/memory/handoffs.ts';
import { type Input, inputKey } from '../../../shared/rounds/model/input.ts';
import { isReviewed } from '../../../shared/rounds/decide/decision.ts';
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
    outages = 0,
    maxStates = 400_000,
  }: Partial<Pick<World, 'faults' | 'grants' | 'outages'>> & {
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
    starts: [canonical(reread(setting, freshWorld({ faults, grants, outages })))],
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
    // A target that was edited untold waits already, and any word shows it.
    ...(setting.people.includes('retarget') ? [] : heardNoise(explored, alone)),
    ...strangeVerdicts(explored.graph, alone),
    ...leftAlone(explored.graph, alone),
    ...attemptsKept(explored.graph),
    ...wrongBounds(setting, graph),
  ];
};

/** What changes nothing costs nothing, or it would cost something for ever. */
const restless = (edges: readonly Edge[]): readonly string[] => [
  ...new Set(
    edges
      .filter(({ from, to, weights }) => from === to && (weights['orders'] ?? 0) + (weights['timers'] ?? 0) > 0)
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

/** At rest the present input has a verdict or a last word of its own, not that of another target branch. */
const strangeVerdicts = ({ worlds }: Graph<World>, edges: readonly Edge[]): readonly string[] => {
  const restless = new Set(edges.flatMap(({ from, to }) => (from === to ? [] : [from])));
  const isStrange = ({ isOpen, state }: World): boolean => {
    const known = state === null || !isOpen ? [] : [...state.reviewed, ...state.closed];
    return known.some(({ head }) => head === H0) && !known.some(({ head, target }) => head === H0 && target === 'main');
  };
  const found = worlds.some((world, index) => !restless.has(index) && isStrange(world));
  return found ? ['it rests with the verdict of another input'] : [];
};

/** A later review has all of its attempts. */
const attemptsKept = ({ worlds, edges }: Graph<World>): readonly string[] => {
  const posted = edges.filter(({ label }) => /^posting .*is posted$/.test(label));
  return posted.some(({ to }) => (worlds[to]?.state?.failedAttempts ?? 0) > 0)
    ? ['the failed attempts of a completed review count for the next one']
    : [];
};

/** After these the forge has no hand-off, or the walk has forgotten it because its head was left, and is pushed again now. */
const HANDOFF_LOST = /^giving_up (?:fails|is overdue)$|pushes a (?:reviewed head|head that was handed off)/;

/** An input that rests without a review and is not tried again by itself has its call for a person on the forge. */
const leftAlone = ({ worlds, edges }: Graph<World>, alone: readonly Edge[]): readonly string[] => {
  const restless = new Set(alone.flatMap(({ from, to }) => (from === to ? [] : [from])));
  const isLeft = ({ isOpen, state, forge }: World): boolean => {
    if (state === null || !isOpen || state.parked !== null) return false;
    const told = new Set(
      forge.flatMap((marker) => (marker.kind === 'handoff' ? calledFor(marker) : [])).map(keyOfCall),
    );
    return state.closed.some((input) => input.head === H0 && !isReviewed(state, input) && !told.has(inputKey(input)));
  };
  const reached = reachedBy(edges.filter(({ label }) => !HANDOFF_LOST.test(label)));
  return worlds.some((world, index) => reached.has(index) && !restless.has(index) && isLeft(world))
    ? ['it rests without a review, and nobody was called']
    : [];
};

/** Worlds on ways from the first one. */
const reachedBy = (edges: readonly Edge[]): ReadonlySet<number> => {
  const next = new Map<number, Edge[]>();
  for (const edge of edges) next.set(edge.from, [...(next.get(edge.from) ?? []), edge]);
  const reached = new Set([0]);
  for (const at of reached) for (const { to } of next.get(at) ?? []) reached.add(to);
  return reached;
};

const keyOfCall = ({ input }: { readonly input: Input }): string => inputKey(input);

const unfallen = (setting: Setting, { worlds }: Graph<World>, edges: readonly Edge[]): readonly string[] => {
  const ranks = worlds.map((world) => rankOf(setting, world));
  const rising = edges.filter(({ from, to }) => from !== to && !isFalling(ranks[from] ?? [], ranks[to] ?? []));
  return [
    ...new Set(
      rising.map(({ label, from, to }) => `${label} lowers no rank: ${String(ranks[from])} to ${String(ranks[to])}`),
    ),
  ].slice(0, 20);
};
