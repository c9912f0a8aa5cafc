/** Reads a subset of YAML 1.2 (core schema): one document; no aliases, tags, directives or duplicate keys; limited size and depth. */
import { Buffer } from 'node:buffer';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, Scalar } from 'yaml';
import type { Document, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { whyTooComplex } from './measure-yaml.ts';
import { type FieldPath, fieldName, type Problem } from './problem.ts';

export const MAX_YAML_BYTES = 1_048_576;

export type YamlText = {
  readonly text: string;
  /** Keys whose plain values stay strings as written even if they look like numbers or flags, such as a short SHA with only digits. */
  readonly textKeys: ReadonlySet<string>;
  readonly firstLine?: number;
  /** The field whose value is the text. */
  readonly within?: FieldPath;
};

export type YamlReading =
  | { readonly kind: 'read'; readonly value: unknown; readonly places: Places }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

export type Places = {
  /** Returns the line of the field, or of its nearest existing parent. */
  readonly lineOf: (path: FieldPath) => number | null;
  /** Returns the first content line of a literal block; null for other values. */
  readonly literalLineOf: (path: FieldPath) => number | null;
};

type Walk = {
  readonly lineAt: (offset: number) => number;
  readonly textKeys: ReadonlySet<string>;
  readonly lines: Map<string, number>;
  readonly literals: Map<string, number>;
  readonly problems: Problem[];
};

export const readYaml = ({ text, textKeys, firstLine = 1, within = [] }: YamlText): YamlReading => {
  const whole = (message: string): YamlReading => ({
    kind: 'refused',
    problems: [{ field: fieldName(within), line: firstLine, message }],
  });
  if (Buffer.byteLength(text) > MAX_YAML_BYTES) return whole('is larger than 1 MiB');
  const tooComplex = whyTooComplex(text);
  if (tooComplex !== null) return whole(tooComplex);
  const counter = new LineCounter();
  // Duplicate keys are checked below, because the parser's own check takes quadratic time.
  const document = parseDocument(text, {
    schema: 'core',
    version: '1.2',
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: counter,
  });
  const lineAt = (offset: number): number => counter.linePos(offset).line - 1 + firstLine;
  const [mistake] = mistakesOf(document, lineAt, within);
  if (mistake !== undefined) return { kind: 'refused', problems: [mistake] };
  const walk: Walk = { lineAt, textKeys, lines: new Map(), literals: new Map(), problems: [] };
  const value = valueOf(document.contents, within, walk);
  if (walk.problems.length > 0) return { kind: 'refused', problems: walk.problems };
  return { kind: 'read', value, places: placesOf(walk, firstLine) };
};

const mistakesOf = (
  document: Document.Parsed,
  lineAt: (offset: number) => number,
  within: FieldPath,
): readonly Problem[] => {
  const field = fieldName(within);
  const first = document.errors[0] ?? document.warnings[0];
  if (first !== undefined) {
    // The library's message is not used, because it quotes the document.
    const line = lineAt(first.pos[0]);
    return [{ field, line, message: `is not plain YAML (${first.code.toLowerCase().replaceAll('_', ' ')})` }];
  }
  const directed = document.directives.yaml.explicit === true || Object.keys(document.directives.tags).length > 1;
  return directed ? [{ field, line: lineAt(0), message: 'has directives; expected YAML without directives' }] : [];
};

/** Replaces the library's `toJS`, which follows aliases and loses line numbers. */
const valueOf = (node: unknown, path: FieldPath, walk: Walk): unknown => {
  if (isMap(node)) return mappingOf(node, path, walk);
  if (isSeq(node)) return sequenceOf(node, path, walk);
  if (isScalar(node)) return scalarOf(node, path, walk);
  if (isAlias(node)) refuse(node, path, walk, 'is an alias; aliases are not allowed');
  return null;
};

type Ranged = { readonly range?: readonly [number, number, number] | null | undefined };

const refuse = ({ range }: Ranged, path: FieldPath, walk: Walk, message: string): void => {
  walk.problems.push({ field: fieldName(path), line: range ? walk.lineAt(range[0]) : null, message });
};

const note = ({ range }: Ranged, path: FieldPath, { lines, lineAt }: Walk): void => {
  if (range) lines.set(fieldName(path), lineAt(range[0]));
};

const isTagged = (node: { readonly tag?: string | undefined }): boolean => node.tag !== undefined;

const sequenceOf = (node: YAMLSeq, path: FieldPath, walk: Walk): unknown => {
  if (isTagged(node)) refuse(node, path, walk, 'has a tag; expected a plain value');
  return node.items.map((item, index) => {
    const at = [...path, index];
    if (isScalar(item) || isMap(item) || isSeq(item)) note(item, at, walk);
    return valueOf(item, at, walk);
  });
};

const mappingOf = (node: YAMLMap, path: FieldPath, walk: Walk): unknown => {
  if (isTagged(node)) refuse(node, path, walk, 'has a tag; expected a plain value');
  const fields = new Map<string, unknown>();
  for (const pair of node.items) {
    const key = keyOf(pair, path, walk);
    if (key === null) continue;
    const at = [...path, key];
    if (fields.has(key)) refuse(isScalar(pair.key) ? pair.key : node, at, walk, 'duplicate key');
    if (isScalar(pair.key)) note(pair.key, at, walk);
    fields.set(key, valueOf(pair.value, at, walk));
  }
  // `fromEntries` defines own properties only, so a `__proto__` key is harmless.
  return Object.fromEntries(fields);
};

const keyOf = ({ key }: Pair, path: FieldPath, walk: Walk): string | null => {
  if (isScalar(key) && typeof key.value === 'string') return key.value;
  refuse(isScalar(key) ? key : {}, path, walk, 'has a key that is not a string');
  return null;
};

const scalarOf = (node: Scalar, path: FieldPath, walk: Walk): unknown => {
  if (isTagged(node)) refuse(node, path, walk, 'has a tag; expected a plain value');
  if (node.type === Scalar.BLOCK_LITERAL && node.range) {
    walk.literals.set(fieldName(path), walk.lineAt(node.range[0]) + 1);
  }
  const key = path.findLast((each) => typeof each === 'string');
  const isText = node.type === Scalar.PLAIN && LOOKALIKES.has(typeof node.value) && walk.textKeys.has(String(key));
  return isText ? (node.source ?? node.value) : node.value;
};

const LOOKALIKES: ReadonlySet<string> = new Set(['number', 'boolean']);

const placesOf = ({ lines, literals }: Walk, firstLine: number): Places => ({
  lineOf: (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const line = lines.get(fieldName(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return firstLine;
  },
  literalLineOf: (path) => literals.get(fieldName(path)) ?? null,
});
