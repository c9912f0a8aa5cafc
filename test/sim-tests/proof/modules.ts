/** Source files as trees, and what a name in them means. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import type * as Babel from '@babel/types';

export type Node = Babel.Node;

/** What a name stands for at the top level of a file: a file of the project and the tree behind the name. */
export type Declared = { readonly file: string; readonly name: string; readonly node: Node };

type Imported = { readonly file: string; readonly name: string };
export type Module = {
  readonly text: string;
  readonly declared: ReadonlyMap<string, Node>;
  readonly imported: ReadonlyMap<string, Imported>;
};

export type Modules = ReadonlyMap<string, Module>;

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Types say nothing about answers. */
const isType = ({ type }: Node): boolean =>
  type.startsWith('TS') && !['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(type);

/** Trees never change: what was looked up once is kept. */
const kept = <Found>(find: (node: Node) => Found): ((node: Node) => Found) => {
  const known = new WeakMap<Node, { readonly found: Found }>();
  return (node) => {
    const before = known.get(node);
    if (before !== undefined) return before.found;
    const found = find(node);
    known.set(node, { found });
    return found;
  };
};

export const childrenOf = kept((node: Node): readonly Node[] =>
  Object.values(node)
    .flat()
    .filter(isNode)
    .filter((child) => !isType(child)),
);

/** The node and everything below it. */
export const below = (node: Node): readonly Node[] => [node, ...childrenOf(node).flatMap(below)];

export const unwrapped = (node: Node): Node =>
  node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' || node.type === 'AwaitExpression'
    ? unwrapped(node.type === 'AwaitExpression' ? node.argument : node.expression)
    : node;

const importsOf = (file: string, statement: Babel.ImportDeclaration): readonly (readonly [string, Imported])[] =>
  statement.specifiers.flatMap((specifier) => {
    if (!statement.source.value.startsWith('.') || specifier.type !== 'ImportSpecifier') return [];
    const from = path.posix.join(path.posix.dirname(file), statement.source.value);
    const name = specifier.imported.type === 'Identifier' ? specifier.imported.name : specifier.imported.value;
    return [[specifier.local.name, { file: from, name }] as const];
  });

const declarationsOf = (statement: Node): readonly (readonly [string, Node])[] => {
  const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (inner?.type !== 'VariableDeclaration') return [];
  return inner.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init ? [[id.name, init] as const] : [],
  );
};

/** `file` says where the text would be: what it imports is relative to that. */
export const readModule = (file: string, text: string): Module => {
  const { body } = parse(text, { sourceType: 'module', plugins: ['typescript'] }).program;
  const imports = body.filter((statement) => statement.type === 'ImportDeclaration');
  return {
    text,
    declared: new Map(body.flatMap(declarationsOf)),
    imported: new Map(imports.flatMap((statement) => importsOf(file, statement))),
  };
};

const files = new Map<string, Module>();

export const readModules = (...folders: readonly string[]): Modules => {
  const names = folders.flatMap((folder) => readdirSync(path.join(ROOT, folder)).map((name) => `${folder}/${name}`));
  return new Map(
    names
      .filter((name) => name.endsWith('.ts'))
      .map((name) => {
        const module = files.get(name) ?? readModule(name, readFileSync(path.join(ROOT, name), 'utf8'));
        files.set(name, module);
        return [name, module];
      }),
  );
};

export const textOf = (modules: Modules, file: string, node: Node): string =>
  (modules.get(file)?.text ?? '').slice(node.start ?? 0, node.end ?? 0);

/** What a name means in a file, wherever it is declared. Null: something from outside, or of a smaller scope. */
export const meaning = (modules: Modules, file: string, name: string): Declared | null => {
  const module = modules.get(file);
  const node = module?.declared.get(name);
  if (node !== undefined) return { file, name, node };
  const from = module?.imported.get(name);
  return from === undefined ? null : meaning(modules, from.file, from.name);
};

const boundBy = (node: Node): readonly string[] => {
  if (node.type === 'ArrowFunctionExpression') return node.params.flatMap(patternNames);
  return node.type === 'VariableDeclarator' ? patternNames(node.id) : [];
};

export const patternNames = (pattern: Node): readonly string[] => {
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type === 'AssignmentPattern') return patternNames(pattern.left);
  if (pattern.type === 'ArrayPattern')
    return pattern.elements.flatMap((one) => (one === null ? [] : patternNames(one)));
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((one) => patternNames(one.type === 'RestElement' ? one.argument : one.value));
};

/** Names that a node uses as values: not those of fields, keys and types. */
export const usedNames = (node: Node): readonly string[] => {
  if (node.type === 'Identifier') return [node.name];
  if (node.type === 'MemberExpression' && !node.computed) return usedNames(node.object);
  if (node.type === 'ObjectProperty' && !node.computed) return usedNames(node.value);
  return childrenOf(node).flatMap(usedNames);
};

/** The parameters and constants of all functions within a node: these names mean nothing at the top level. */
export const localNames = kept((node: Node): ReadonlySet<string> => new Set(below(node).flatMap(boundBy)));
