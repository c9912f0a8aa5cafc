/**
 * The fields of a Kubernetes object that its published types do not know. The schemas of `kubernetes-models` check the
 * types of known fields only, as the API does, so a misspelled field would pass.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { parse } from '@babel/parser';
import type { Statement, TSType, TSTypeElement } from '@babel/types';

const resolveFrom = createRequire(import.meta.url).resolve;

/** A file of declarations. Its names are the interfaces in it, and what it imports from other files. */
type Scope = {
  readonly folder: string;
  readonly interfaces: ReadonlyMap<string, readonly TSTypeElement[]>;
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly aliases: ReadonlyMap<string, string>;
};

const scopes = new Map<string, Scope>();

const openScope = (file: string): Scope => {
  const known = scopes.get(file);
  if (known !== undefined) return known;
  const { program } = parse(readFileSync(file, 'utf8'), {
    sourceType: 'module',
    plugins: [['typescript', { dts: true }]],
  });
  const interfaces = new Map<string, readonly TSTypeElement[]>();
  const imports = new Map<string, { readonly from: string; readonly name: string }>();
  const aliases = new Map<string, string>();
  for (const statement of program.body) readStatement(statement, { interfaces, imports, aliases });
  const scope = { folder: dirname(file), interfaces, imports, aliases };
  scopes.set(file, scope);
  return scope;
};

type Names = {
  readonly interfaces: Map<string, readonly TSTypeElement[]>;
  readonly imports: Map<string, { readonly from: string; readonly name: string }>;
  readonly aliases: Map<string, string>;
};

const readStatement = (statement: Statement, { interfaces, imports, aliases }: Names): void => {
  if (statement.type === 'ImportDeclaration') {
    for (const one of statement.specifiers)
      if (one.type === 'ImportSpecifier' && one.imported.type === 'Identifier')
        imports.set(one.local.name, { from: statement.source.value, name: one.imported.name });
    return;
  }
  if (statement.type !== 'ExportNamedDeclaration') return;
  if (statement.declaration?.type === 'TSInterfaceDeclaration')
    interfaces.set(statement.declaration.id.name, statement.declaration.body.body);
  for (const one of statement.specifiers)
    if (one.type === 'ExportSpecifier' && one.exported.type === 'Identifier')
      aliases.set(one.exported.name, one.local.name);
};

type Found = { readonly members: readonly TSTypeElement[]; readonly scope: Scope };

/** Null for names that are no interface, which may hold anything. */
const findInterface = (name: string, scope: Scope): Found | null => {
  const own = scope.interfaces.get(scope.aliases.get(name) ?? name);
  if (own !== undefined) return { members: own, scope };
  const imported = scope.imports.get(name);
  if (imported === undefined) return null;
  const file = createRequire(`${scope.folder}/index.js`).resolve(imported.from).replace(/\.js$/, '.d.ts');
  return findInterface(imported.name, openScope(file));
};

const inMembers = (value: object, { members, scope }: Found, path: string): readonly string[] => {
  if (members.some(({ type }) => type === 'TSIndexSignature')) return [];
  const types = new Map(
    members.flatMap((member) =>
      member.type === 'TSPropertySignature' && member.key.type === 'StringLiteral'
        ? [[member.key.value, member.typeAnnotation?.typeAnnotation] as const]
        : [],
    ),
  );
  return Object.entries(value).flatMap(([key, inner]) => {
    const type = types.get(key);
    return type === undefined ? [`${path}.${key}`] : inType(inner, type, scope, `${path}.${key}`);
  });
};

const inType = (value: unknown, type: TSType, scope: Scope, path: string): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (type.type === 'TSTypeLiteral') return inMembers(value, { members: type.members, scope }, path);
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return [];
  const [item] = type.typeParameters?.params ?? [];
  if (type.typeName.name === 'Array' && item !== undefined && Array.isArray(value))
    return value.flatMap((each, index) => inType(each, item, scope, `${path}[${index}]`));
  const found = findInterface(type.typeName.name, scope);
  return found === null ? [] : inMembers(value, found, path);
};

/** `module` is the module of the kind, such as `kubernetes-models/apps/v1/Deployment`. */
export const unknownFields = (document: object, module: string, kind: string): readonly string[] => {
  const scope = openScope(resolveFrom(module).replace(/\.js$/, '.d.ts'));
  const found = findInterface(`I${kind}`, scope);
  if (found === null) throw new Error(`${module} has no interface of ${kind}`);
  return inMembers(document, found, kind);
};
