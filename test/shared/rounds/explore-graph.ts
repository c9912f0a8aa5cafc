/** Walks every state that can be reached, and asks the graph about cycles and longest paths. Knows nothing of reviews. */

export type Move<World> = {
  readonly to: World;
  readonly label: string;
  /** What the move costs, by name; absent is 0. */
  readonly weights?: Readonly<Record<string, number>>;
};

export type Edge = {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly weights: Readonly<Record<string, number>>;
};

export type Graph<World> = {
  readonly worlds: readonly World[];
  readonly edges: readonly Edge[];
};

export type Walk<World> = {
  readonly starts: readonly World[];
  readonly moves: (world: World) => readonly Move<World>[];
  readonly keyOf: (world: World) => string;
  /** More states than this are a mistake in the canonical form. */
  readonly maxStates?: number;
};

/** A walk that does not end proves nothing. */
export class EndlessWalk extends Error {
  constructor(states: number) {
    super(`more than ${states} states`);
  }
}

/** @throws EndlessWalk when there are more states than the limit. */
export const walk = <World>({ starts, moves, keyOf, maxStates = 400_000 }: Walk<World>): Graph<World> => {
  const numbers = new Map<string, number>();
  const worlds: World[] = [];
  const edges: Edge[] = [];
  const numberOf = (world: World): number => {
    const key = keyOf(world);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, worlds.length);
    worlds.push(world);
    if (worlds.length > maxStates) throw new EndlessWalk(maxStates);
    return worlds.length - 1;
  };
  for (const start of starts) numberOf(start);
  for (let from = 0; from < worlds.length; from += 1) {
    const world = worlds[from];
    if (world === undefined) break;
    for (const { to, label, weights = {} } of moves(world)) edges.push({ from, to: numberOf(to), label, weights });
  }
  return { worlds, edges };
};

/** Where the edges of a node begin, and their other ends: the lists of all nodes one after the other. */
type Ends = { readonly starts: Int32Array; readonly ends: Int32Array };

const endsOf = (size: number, edges: readonly Edge[], way: readonly ['from' | 'to', 'from' | 'to']): Ends => {
  const [near, far] = way;
  const starts = new Int32Array(size + 1);
  for (const edge of edges) starts[edge[near] + 1] = (starts[edge[near] + 1] ?? 0) + 1;
  for (let node = 0; node < size; node += 1) starts[node + 1] = (starts[node + 1] ?? 0) + (starts[node] ?? 0);
  const filled = starts.slice();
  const ends = new Int32Array(edges.length);
  for (const edge of edges) {
    const place = filled[edge[near]] ?? 0;
    ends[place] = edge[far];
    filled[edge[near]] = place + 1;
  }
  return { starts, ends };
};

/** Nodes in the order in which a search in depth leaves them. */
const finishingOrder = (size: number, { starts, ends }: Ends): Int32Array => {
  const seen = new Uint8Array(size);
  const next = starts.slice(0, size);
  const path = new Int32Array(size);
  const finished = new Int32Array(size);
  let left = 0;
  for (let root = 0; root < size; root += 1) {
    if (seen[root] === 1) continue;
    let depth = 0;
    path[0] = root;
    seen[root] = 1;
    while (depth >= 0) {
      const node = path[depth] ?? 0;
      const place = next[node] ?? 0;
      next[node] = place + 1;
      const to = place < (starts[node + 1] ?? 0) ? ends[place] : undefined;
      if (to === undefined) {
        finished[left] = node;
        left += 1;
        depth -= 1;
      } else if (seen[to] === 0) {
        seen[to] = 1;
        depth += 1;
        path[depth] = to;
      }
    }
  }
  return finished;
};

/** Strongly connected components (Kosaraju). Numbers fall along every edge between two of them. */
export const componentsOf = <World>({ worlds }: Graph<World>, edges: readonly Edge[]): Int32Array => {
  const size = worlds.length;
  const { starts, ends } = endsOf(size, edges, ['from', 'to']);
  const component = new Int32Array(size).fill(-1);
  let number = 0;
  for (const root of finishingOrder(size, endsOf(size, edges, ['to', 'from'])).toReversed()) {
    if (component[root] !== -1) continue;
    const open = [root];
    component[root] = number;
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (let place = starts[node] ?? 0; place < (starts[node + 1] ?? 0); place += 1) {
        const to = ends[place] ?? 0;
        if (component[to] !== -1) continue;
        component[to] = number;
        open.push(to);
      }
    }
    number += 1;
  }
  return component;
};

/** A cycle among these edges, as the labels on it; null when there is none. A move that changes nothing is none. */
export const cycleAmong = <World>(graph: Graph<World>, edges: readonly Edge[]): readonly string[] | null => {
  const real = edges.filter(({ from, to }) => from !== to);
  const component = componentsOf(graph, real);
  const inside = real.filter(({ from, to }) => component[from] === component[to]);
  const [first] = inside;
  if (first === undefined) return null;
  const labels: string[] = [];
  const seen = new Set<number>();
  for (let edge: Edge | undefined = first; edge !== undefined && !seen.has(edge.from); ) {
    seen.add(edge.from);
    labels.push(edge.label);
    const { to }: Edge = edge;
    edge = inside.find(({ from }) => from === to);
  }
  return labels;
};

/** The most that any path costs, by name; Infinity when a cycle costs something. */
export const longestPaths = <World, Name extends string>(
  graph: Graph<World>,
  edges: readonly Edge[],
  names: readonly Name[],
): Readonly<Record<Name, number>> => {
  const component = componentsOf(graph, edges);
  // Edges lead to lower components only: those are complete when they are asked for.
  const ordered = edges.toSorted((one, other) => (component[one.from] ?? 0) - (component[other.from] ?? 0));
  const found = names.map((name) => [name, longestOf(ordered, component, name)] as const);
  // The keys are those that were asked for.
  return Object.fromEntries(found) as Record<Name, number>;
};

const longestOf = (ordered: readonly Edge[], component: Int32Array, name: string): number => {
  const best = new Float64Array(component.length);
  let most = 0;
  for (const { from, to, weights } of ordered) {
    const [above, below] = [component[from] ?? 0, component[to] ?? 0];
    const cost = weights[name] ?? 0;
    if (above === below && cost > 0) return Infinity;
    const total = above === below ? 0 : cost + (best[below] ?? 0);
    if (total > (best[above] ?? 0)) best[above] = total;
    most = Math.max(most, total);
  }
  return most;
};

/** Where paths begin or end anew: these edges lead from, or to, a place of their own. */
export const cutAt = <World>(
  { worlds, edges }: Graph<World>,
  side: 'from' | 'to',
  isCut: (weights: Edge['weights']) => boolean,
): Graph<World | null> => ({
  worlds: [...worlds, null],
  edges: edges.map((edge) => (isCut(edge.weights) ? { ...edge, [side]: worlds.length } : edge)),
});

/** The most that any path costs in `name`. */
export const longest = <World>(graph: Graph<World>, edges: readonly Edge[], name: string): number =>
  longestPaths(graph, edges, [name])[name] ?? 0;
