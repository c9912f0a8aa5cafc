/** What an expression can be, as text: parts that are known only while the simulator runs become `…`. */
import { below, meaning, type Modules, type Node, textOf, unwrapped } from './modules.ts';

/** Where an expression is read: the names bound around it, each with the place that it was bound to. */
export type Scope = {
  readonly modules: Modules;
  readonly file: string;
  readonly bound: ReadonlyMap<string, Bound>;
};
export type Bound = { readonly node: Node; readonly scope: Scope };

/** Which way each condition went, by its text: two expressions over one condition agree. */
type Chosen = Readonly<Record<string, boolean>>;
export type Value = { readonly text: string; readonly chosen: Chosen };

export const HOLE = '…';

const agrees = (one: Chosen, two: Chosen): boolean =>
  Object.entries(one).every(([test, way]) => (two[test] ?? way) === way);

const both = (ones: readonly Value[], twos: readonly Value[], join: (one: string, two: string) => string): Value[] =>
  ones.flatMap((one) =>
    twos
      .filter((two) => agrees(one.chosen, two.chosen))
      .map((two) => ({ text: join(one.text, two.text), chosen: { ...one.chosen, ...two.chosen } })),
  );

export const known = (text: string): readonly Value[] => [{ text, chosen: {} }];
export const concat = (parts: readonly (readonly Value[])[], between = ''): readonly Value[] =>
  parts.reduce<readonly Value[]>(
    (done, part, index) => both(done, part, (one, two) => one + (index === 0 ? '' : between) + two),
    known(''),
  );

const template = (node: Extract<Node, { type: 'TemplateLiteral' }>, scope: Scope): readonly Value[] =>
  concat(
    node.quasis.flatMap((quasi, index) => {
      const hole = node.expressions[index];
      return [known(quasi.value.cooked ?? ''), ...(hole === undefined ? [] : [valuesOf(hole, scope)])];
    }),
  );

export const conditional = (
  node: Extract<Node, { type: 'ConditionalExpression' }>,
  scope: Scope,
  read: (node: Node, scope: Scope) => readonly Value[],
): readonly Value[] => {
  const test = textOf(scope.modules, scope.file, node.test);
  const way = (branch: Node, taken: boolean): readonly Value[] =>
    read(branch, scope)
      .filter(({ chosen }) => (chosen[test] ?? taken) === taken)
      .map(({ text, chosen }) => ({ text, chosen: { ...chosen, [test]: taken } }));
  return [...way(node.consequent, true), ...way(node.alternate, false)];
};

/** What a name is bound to here: a parameter that is known, a constant of the function, or of a file. */
export const lookUp = (name: string, scope: Scope): Bound | null => {
  const bound = scope.bound.get(name);
  if (bound !== undefined) return bound;
  const found = meaning(scope.modules, scope.file, name);
  return found === null ? null : { node: found.node, scope: { ...scope, file: found.file, bound: new Map() } };
};

/** A call of a function that is one expression, with its parameters bound to what is passed. */
const called = (node: Extract<Node, { type: 'CallExpression' }>, scope: Scope): Bound | null => {
  const found = node.callee.type === 'Identifier' ? lookUp(node.callee.name, scope) : null;
  return found === null ? null : applied(found, node.arguments, scope);
};

/** The body of a function, read with these arguments. */
export const applied = (callee: Bound, args: readonly Node[], scope: Scope): Bound | null => {
  const { node } = callee;
  if (node.type !== 'ArrowFunctionExpression') return null;
  const bound = new Map(callee.scope.bound);
  for (const [index, parameter] of node.params.entries()) {
    const argument = args[index];
    const given = argument === undefined && parameter.type === 'AssignmentPattern' ? parameter.right : argument;
    const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
    if (target.type === 'Identifier' && given !== undefined) bound.set(target.name, { node: given, scope });
  }
  return { node: node.body, scope: { ...callee.scope, bound } };
};

/** Every text that the value of a constant object can be: for `words[key]`. */
const entriesOf = (node: Node, scope: Scope): readonly Value[] | null => {
  const found = node.type === 'Identifier' ? lookUp(node.name, scope) : null;
  if (found?.node.type !== 'ObjectExpression') return null;
  const values = found.node.properties.flatMap((one) => (one.type === 'ObjectProperty' ? [one.value] : []));
  return values.flatMap((value) => valuesOf(value, found.scope));
};

/** Functions that print what they are given: the argument says more than their code. */
const PRINTERS: ReadonlySet<string> = new Set(['rubyHash', 'String']);

export const keyOf = (property: Node): string => {
  if (property.type !== 'ObjectProperty') return '';
  if (property.key.type === 'Identifier') return property.key.name;
  return property.key.type === 'StringLiteral' ? property.key.value : '';
};

export const fieldOf = (node: Node, name: string): Node | null => {
  if (node.type !== 'ObjectExpression') return null;
  const found = node.properties.find((one) => keyOf(one) === name);
  return found?.type === 'ObjectProperty' ? found.value : null;
};

/** `note: can't be blank` */
const objectText = (node: Extract<Node, { type: 'ObjectExpression' }>, scope: Scope): readonly Value[] => {
  const texts = node.properties.map((one) =>
    one.type === 'ObjectProperty' ? concat([known(`${keyOf(one)}: `), valuesOf(one.value, scope)]) : known(HOLE),
  );
  // What begins empty is filled later.
  return texts.length === 0 ? known(HOLE) : concat(texts, ', ');
};

const calledValues = (node: Extract<Node, { type: 'CallExpression' }>, scope: Scope): readonly Value[] => {
  const [first] = node.arguments;
  if (node.callee.type === 'Identifier' && PRINTERS.has(node.callee.name) && first !== undefined)
    return valuesOf(first, scope);
  const body = called(node, scope);
  return body === null ? known(HOLE) : valuesOf(body.node, body.scope);
};

const namedValues = (name: string, scope: Scope): readonly Value[] => {
  const found = lookUp(name, scope);
  return found === null ? known(HOLE) : valuesOf(found.node, found.scope);
};

/** What is written out. Null: the text of the expression comes from elsewhere. */
const literalValues = (node: Node, scope: Scope): readonly Value[] | null => {
  if (node.type === 'StringLiteral') return known(node.value);
  if (node.type === 'NumericLiteral') return known(String(node.value));
  if (node.type === 'TemplateLiteral') return template(node, scope);
  if (node.type === 'ObjectExpression') return objectText(node, scope);
  if (node.type !== 'ArrayExpression') return null;
  return concat(
    node.elements.map((one) => (one === null ? known('') : valuesOf(one, scope))),
    ', ',
  );
};

export const valuesOf = (expression: Node, scope: Scope): readonly Value[] => {
  const node = unwrapped(expression);
  const literal = literalValues(node, scope);
  if (literal !== null) return literal;
  if (node.type === 'ConditionalExpression') return conditional(node, scope, valuesOf);
  if (node.type === 'LogicalExpression') return [...valuesOf(node.left, scope), ...valuesOf(node.right, scope)];
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return concat([valuesOf(node.left, scope), valuesOf(node.right, scope)]);
  if (node.type === 'Identifier') return namedValues(node.name, scope);
  if (node.type === 'CallExpression') return calledValues(node, scope);
  return node.type === 'MemberExpression' ? (entriesOf(node.object, scope) ?? known(HOLE)) : known(HOLE);
};

/** The constants of a function, bound for what is read inside of it. */
export const withConstants = (node: Node, scope: Scope): Scope => {
  const bound = new Map(scope.bound);
  const inner: Scope = { ...scope, bound };
  for (const one of below(node))
    if (one.type === 'VariableDeclarator' && one.id.type === 'Identifier' && one.init)
      bound.set(one.id.name, { node: one.init, scope: inner });
  return inner;
};
