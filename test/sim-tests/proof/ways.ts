/** Which functions of a simulator a request can pass, and what each of them answers by itself. */
import { answersIn, isRefusal, type Vocabulary } from './answers.ts';
import { type Bound, lookUp, withConstants } from './evaluate.ts';
import { localNames, meaning, type Modules, usedNames } from './modules.ts';
import { routesIn } from './routes.ts';

export type Place = { readonly file: string; readonly name: string };

export type Simulator = {
  readonly folder: string;
  readonly vocabulary: Vocabulary;
  /** The function that takes every request to the API, before a route is known. */
  readonly entry: Place;
  readonly routes: Place;
  readonly git: Place;
  /** Files that answer no request of a client: people's deeds, pages for people, the shape of bodies. */
  readonly aside: RegExp;
  /** Where the product reads webhooks. */
  readonly readers: readonly string[];
};

export type Reading = { readonly modules: Modules; readonly simulator: Simulator };
export type Step = { readonly name: string; readonly bound: Bound };
/** One route, or what comes before all of them, with every function on the way. */
export type Way = { readonly heading: string; readonly steps: ReadonlyMap<string, Step> };

export const boundAt = ({ modules }: Reading, { file, name }: Place): Bound => {
  const found = meaning(modules, file, name);
  if (found === null) throw new Error(`${file} declares no ${name}`);
  return { node: found.node, scope: { modules, file: found.file, bound: new Map() } };
};

const keyOf = ({ node, scope }: Bound): string => `${scope.file}:${node.start}`;

const isAside = ({ vocabulary, aside }: Simulator, { name, bound }: Step): boolean =>
  vocabulary.told.includes(name) ||
  vocabulary.words.includes(bound.scope.file) ||
  aside.test(bound.scope.file) ||
  isRefusal(bound, vocabulary);

/** What a name leads to: a parameter that is known to what was passed, everything else to its declaration. */
const followed = (name: string, { node, scope }: Bound): Step | null => {
  if (localNames(node).has(name)) return null;
  const given = scope.bound.get(name);
  if (given?.node.type === 'Identifier') return followed(given.node.name, given);
  const bound = given ?? lookUp(name, scope);
  return bound === null ? null : { name: meaning(scope.modules, scope.file, name)?.name ?? name, bound };
};

const nextOf = ({ simulator }: Reading, bound: Bound): readonly Step[] =>
  [...new Set(usedNames(bound.node))].flatMap((name) => {
    const step = followed(name, bound);
    return step === null || isAside(simulator, step) ? [] : [step];
  });

export const reachable = (reading: Reading, start: Step, stop: ReadonlySet<string>): ReadonlyMap<string, Step> => {
  // The start belongs to this way alone, whoever else is served by the same lines.
  const seen = new Map([[start.name, start]]);
  const visit = (step: Step): void => {
    for (const next of nextOf(reading, step.bound)) {
      const key = keyOf(next.bound);
      if (seen.has(key) || stop.has(key)) continue;
      seen.set(key, next);
      visit(next);
    }
  };
  visit(start);
  return seen;
};

export const waysOf = (reading: Reading): readonly Way[] => {
  const { entry, routes } = reading.simulator;
  const table = boundAt(reading, routes);
  const first = { name: entry.name, bound: boundAt(reading, entry) };
  return [
    { heading: 'Every request', steps: reachable(reading, first, new Set([keyOf(table)])) },
    ...routesIn(table).map(({ name, handle }) => ({
      heading: name,
      steps: reachable(reading, { name, bound: handle }, new Set()),
    })),
  ];
};

export const ownAnswers = ({ simulator }: Reading, { name, bound }: Step): readonly string[] =>
  answersIn(name, { node: bound.node, scope: withConstants(bound.node, bound.scope) }, simulator.vocabulary);
