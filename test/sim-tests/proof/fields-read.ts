/** What the product reads of a webhook, from the schemas that parse it. */
import { below, childrenOf, meaning, type Modules, type Node } from './modules.ts';
import { keyOf } from './evaluate.ts';

/** `z.object({ … })` at the start of a chain such as `.nullish().catch(null)`. */
const shapeOf = (node: Node): Node | null => {
  if (node.type === 'ObjectExpression') return node;
  if (node.type === 'CallExpression') {
    const { callee } = node;
    const isObject =
      callee.type === 'MemberExpression' && 'name' in callee.property && callee.property.name === 'object';
    return isObject ? (node.arguments[0] ?? null) : shapeOf(callee);
  }
  return node.type === 'MemberExpression' ? shapeOf(node.object) : null;
};

/** The name that a chain begins with: `Account.nullish()`. */
const startOf = (node: Node): string | null => {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'CallExpression') return startOf(node.callee);
  return node.type === 'MemberExpression' ? startOf(node.object) : null;
};

type At = { readonly modules: Modules; readonly file: string; readonly before: string };

const fieldsOf = (schema: Node, at: At): readonly string[] => {
  const shape = shapeOf(schema);
  if (shape?.type === 'ObjectExpression')
    return shape.properties.flatMap((one) =>
      one.type === 'ObjectProperty' ? fieldsOf(one.value, { ...at, before: `${at.before}.${keyOf(one)}` }) : [],
    );
  const name = startOf(schema);
  const named = name === null ? null : meaning(at.modules, at.file, name);
  const isShape = named !== null && childrenOf(named.node).length > 0 && shapeOf(named.node) !== null;
  return isShape ? fieldsOf(named.node, { ...at, file: named.file }) : [at.before];
};

const wordsOf = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/** `pull request: pull_request.head.sha` */
export const fieldsRead = (modules: Modules, file: string): readonly string[] =>
  [...(modules.get(file)?.declared ?? [])].flatMap(([name, node]) => {
    const payload = /^(.+)Payload$/.exec(name)?.[1];
    const before = payload === undefined ? '.changes' : '';
    if (payload === undefined && name !== 'Changes') return [];
    return fieldsOf(node, { modules, file, before }).map(
      (field) => `${payload === undefined ? 'changes' : wordsOf(payload)}: ${field.replace(/^\./, '')}`,
    );
  });

export const headersRead = (modules: Modules, files: readonly string[]): readonly string[] =>
  files.flatMap((file) =>
    [...(modules.get(file)?.declared.values() ?? [])].flatMap(below).flatMap((node) => {
      if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'readHeader')
        return [];
      const name = node.arguments[1];
      return name?.type === 'StringLiteral' ? [name.value] : [];
    }),
  );
