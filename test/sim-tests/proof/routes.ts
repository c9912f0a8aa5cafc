/** The routes that a simulator registers, read from its source. */
import { applied, type Bound, fieldOf, lookUp, valuesOf } from './evaluate.ts';
import { type Node, unwrapped } from './modules.ts';

export type FoundRoute = { readonly name: string; readonly handle: Bound };

const callOf = (node: Extract<Node, { type: 'CallExpression' }>, { scope }: Bound): readonly FoundRoute[] => {
  const { callee } = node;
  const args = node.arguments;
  if (callee.type === 'Identifier') {
    const found = lookUp(callee.name, scope);
    const within = found === null ? null : applied(found, args, scope);
    return within === null ? [] : routesIn(within);
  }
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
  // A map over routes changes how they are served, never which ones there are.
  if (callee.property.name !== 'flatMap') return routesIn({ node: callee.object, scope });
  const each = args[0];
  const list = callee.object.type === 'Identifier' ? lookUp(callee.object.name, scope) : { node: callee.object, scope };
  if (each === undefined || list?.node.type !== 'ArrayExpression') return [];
  return list.node.elements.flatMap((element) => {
    const within = element === null ? null : applied({ node: each, scope }, [element], list.scope);
    return within === null ? [] : routesIn(within);
  });
};

const writtenRoute = (node: Node, { scope }: Bound): readonly FoundRoute[] => {
  const [method, path, handle] = ['method', 'path', 'handle'].map((name) => fieldOf(node, name));
  if (!method || !path || !handle) return [];
  const name = [method, path].map((one) => valuesOf(one, scope)[0]?.text ?? '').join(' ');
  return [{ name, handle: { node: handle, scope } }];
};

/** Of a list of routes, written out, spread, made by a function, or for each of some places. */
export const routesIn = (bound: Bound): readonly FoundRoute[] => {
  const { scope } = bound;
  const node = unwrapped(bound.node);
  const within = (one: Node): readonly FoundRoute[] => routesIn({ node: one, scope });
  if (node.type === 'ArrayExpression')
    return node.elements.flatMap((one) =>
      one === null ? [] : within(one.type === 'SpreadElement' ? one.argument : one),
    );
  if (node.type === 'ObjectExpression') return writtenRoute(node, bound);
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate].flatMap(within);
  if (node.type === 'ArrowFunctionExpression') return within(node.body);
  if (node.type === 'CallExpression') return callOf(node, bound);
  const found = node.type === 'Identifier' ? lookUp(node.name, scope) : null;
  return found === null ? [] : routesIn(found);
};
