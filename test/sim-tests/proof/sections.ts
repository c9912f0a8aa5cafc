/**
 * Every answer of a simulator, generated from its source: a section for each route, for each step that several routes
 * share, for git, for bodies and for webhooks.
 */
import { fieldsRead, headersRead } from './fields-read.ts';
import { below, type Modules, type Node, readModules, textOf } from './modules.ts';
import { boundAt, ownAnswers, type Reading, reachable, type Simulator, type Step, waysOf } from './ways.ts';

export type Section = {
  readonly heading: string;
  /** Headings of the shared steps on the way of a route. */
  readonly passes: readonly string[];
  readonly rows: readonly string[];
};

const sorted = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].toSorted();

const headingOf = ({ name, bound }: Step): string => `Step ${name} in ${bound.scope.file.split('/').at(-1)}`;

const routeSections = (reading: Reading): readonly Section[] => {
  const ways = waysOf(reading);
  const counts = new Map<string, number>();
  const answering = new Map<string, { readonly step: Step; readonly rows: readonly string[] }>();
  for (const { heading, steps } of ways)
    for (const [key, step] of steps) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (!answering.has(key)) answering.set(key, { step, rows: ownAnswers(reading, step) });
      if (heading === 'Every request') counts.set(key, 1);
    }
  const isShared = (key: string): boolean => (counts.get(key) ?? 0) > 1 && (answering.get(key)?.rows.length ?? 0) > 0;
  const shared = [...answering].flatMap(([key, one]) => (isShared(key) ? [one] : []));
  return [
    ...ways.map(({ heading, steps }) => ({
      heading,
      passes: sorted([...steps].flatMap(([key, step]) => (isShared(key) ? [headingOf(step)] : []))),
      rows: sorted([...steps.keys()].flatMap((key) => (isShared(key) ? [] : (answering.get(key)?.rows ?? [])))),
    })),
    ...shared
      .map(({ step, rows }) => ({ heading: headingOf(step), passes: [], rows: sorted(rows) }))
      .toSorted((one, two) => (one.heading < two.heading ? -1 : 1)),
  ];
};

/** Refusals of git are bare numbers. */
const gitSection = (reading: Reading): Section => {
  const { git } = reading.simulator;
  const steps = [...reachable(reading, { name: git.name, bound: boundAt(reading, git) }, new Set()).values()];
  const nodes = steps.filter(({ bound }) => bound.scope.file === git.file).flatMap(({ bound }) => below(bound.node));
  const numbers = nodes.filter((one) => one.type === 'NumericLiteral');
  const refusals = numbers.map((one) => textOf(reading.modules, git.file, one)).filter((one) => /^[45]\d\d$/.test(one));
  return { heading: 'Git over HTTP', passes: [], rows: sorted(['200 what git says', ...refusals]) };
};

type Declared = { readonly file: string; readonly name: string; readonly node: Node };

const declaredIn = ({ modules, simulator }: Reading): readonly Declared[] =>
  [...modules]
    .filter(([file]) => file.startsWith(`${simulator.folder}/`))
    .flatMap(([file, { declared }]) => [...declared].map(([name, node]) => ({ file, name, node })));

/** The functions that write bodies, each with the conditions on which its fields depend. */
const bodySection = (reading: Reading): Section => {
  const shaping = declaredIn(reading).filter(
    ({ file, name, node }) =>
      node.type === 'ArrowFunctionExpression' && (/\/represent[a-z-]*\.ts$/.test(file) || /(?:Json|Row)$/.test(name)),
  );
  const rows = shaping.flatMap(({ file, name, node }) => {
    const tests = below(node).flatMap((one) => (one.type === 'ConditionalExpression' ? [one.test] : []));
    const conditions = tests.map((test) => textOf(reading.modules, file, test).replaceAll(/\s+/g, ' '));
    return [...(/(?:Json|Row)$/.test(name) ? [name] : []), ...conditions.map((test) => `${name} by ${test}`)];
  });
  return { heading: 'Bodies', passes: [], rows: sorted(rows) };
};

/** Every webhook that anything in the simulator sends, people's deeds included. */
const hookSection = (reading: Reading): Section => {
  // What a function that is told what to do would do without being told, is not known.
  const declared = declaredIn(reading).filter(({ name }) => !reading.simulator.vocabulary.told.includes(name));
  const answers = declared.flatMap(({ file, name, node }) =>
    ownAnswers(reading, { name, bound: { node, scope: { modules: reading.modules, file, bound: new Map() } } }),
  );
  const hooks = answers.flatMap((one) => (one.startsWith('webhook ') ? [one.slice('webhook '.length)] : []));
  return { heading: 'Webhooks', passes: [], rows: sorted(hooks) };
};

export const sectionsIn = (modules: Modules, simulator: Simulator): readonly Section[] => {
  const reading: Reading = { modules, simulator };
  const fields = sorted(simulator.readers.flatMap((file) => fieldsRead(modules, file)));
  const headers = sorted(headersRead(modules, simulator.readers));
  return [
    ...routeSections(reading),
    gitSection(reading),
    bodySection(reading),
    hookSection(reading),
    { heading: 'Fields of webhooks that Fixpoint reads', passes: [], rows: fields },
    { heading: 'Headers of webhooks that Fixpoint reads', passes: [], rows: headers },
  ];
};

export const sectionsOf = (simulator: Simulator): readonly Section[] =>
  sectionsIn(
    readModules(
      'test/sim/forgejo',
      'test/sim/gitlab',
      'test/sim/shared',
      'shared/webhooks',
      'shared/forge/forgejo/webhooks',
      'shared/forge/gitlab/webhooks',
    ),
    simulator,
  );
