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

const outgoing = (size: number, edges: readonly Edge[]): readonly (readonly Edge[])[] => {
  const lists: Edge[][] = Array.from({ length: size }, () => []);
  for (const edge of edges) lists[edge.from]?.push(edge);
  return lists;
};

/** Nodes in the order in which a search in depth leaves them. */
const finishingOrder = (out: readonly (readonly Edge[])[]): readonly number[] => {
  const seen = new Uint8Array(out.length);
  const finished: number[] = [];
  for (let root = 0; root < out.length; root += 1) {
    const path = [{ node: root, next: 0 }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const to = top.next === 0 && seen[top.node] === 1 ? undefined : out[top.node]?.[top.next]?.to;
      const isNew = top.next > 0 || seen[top.node] === 0;
      seen[top.node] = 1;
      top.next += 1;
      if (to === undefined) {
        path.pop();
        if (isNew) finished.push(top.node);
      } else if (seen[to] === 0) path.push({ node: to, next: 0 });
    }
  }
  return finished;
};

/** Strongly connected components (Kosaraju). Numbers fall along every edge between two of them. */
export const componentsOf = <World>({ worlds }: Graph<World>, edges: readonly Edge[]): readonly number[] => {
  const out = outgoing(worlds.length, edges);
  const back = outgoing(
    worlds.length,
    edges.map((edge) => ({ ...edge, from: edge.to, to: edge.from })),
  );
  const component = Array.from({ length: worlds.length }, () => -1);
  let number = 0;
  for (const root of finishingOrder(back).toReversed()) {
    if (component[root] !== -1) continue;
    const open = [root];
    component[root] = number;
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const { to } of out[node] ?? []) {
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

/** The most that any path costs in `name`; Infinity when a cycle costs something. */
export const longest = <World>(graph: Graph<World>, edges: readonly Edge[], name: string): number => {
  const component = componentsOf(graph, edges);
  const costOf = ({ weights }: Edge): number => weights[name] ?? 0;
  if (edges.some((edge) => component[edge.from] === component[edge.to] && costOf(edge) > 0)) return Infinity;
  const best = new Map<number, number>();
  // Edges lead to lower components only: those are complete when they are asked for.
  const ordered = edges.toSorted((one, other) => (component[one.from] ?? 0) - (component[other.from] ?? 0));
  for (const edge of ordered) {
    const [from, to] = [component[edge.from] ?? 0, component[edge.to] ?? 0];
    const cost = from === to ? 0 : costOf(edge) + (best.get(to) ?? 0);
    best.set(from, Math.max(best.get(from) ?? 0, cost));
  }
  return Math.max(0, ...best.values());
};
