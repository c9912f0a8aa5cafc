/** What a function of the simulator answers by itself: refusals, replies, and side effects. */
import {
  applied,
  type Bound,
  concat,
  conditional,
  fieldOf,
  HOLE,
  keyOf,
  known,
  lookUp,
  type Scope,
  type Value,
  valuesOf,
} from './evaluate.ts';
import { below, type Node, unwrapped } from './modules.ts';

type Call = Extract<Node, { type: 'CallExpression' }>;

/** How a simulator says what it does. */
export type Vocabulary = {
  /** The class of thrown refusals. */
  readonly refusal: string;
  /** Files whose functions only put an answer into words. */
  readonly words: readonly string[];
  /** Functions that answer as they are told to: read where they are called, with what they are given. */
  readonly told: readonly string[];
  /** Functions that write to the log of effects, and how the kind is found among their arguments. */
  readonly writes: Readonly<Record<string, Reader>>;
  /** Functions that send webhooks. */
  readonly fires: Readonly<Record<string, Reader>>;
};
export type Reader = (args: readonly Node[], scope: Scope) => readonly Value[];

const NOTHING: Node = { type: 'NullLiteral' };

/** The argument itself. */
export const argument =
  (index: number, before = ''): Reader =>
  (args, scope) =>
    concat([known(before), valuesOf(args[index] ?? NOTHING, scope)]);

/** Fields of an argument that is an object, one after the other. */
export const fields =
  (index: number, names: readonly string[], before = ''): Reader =>
  (args, scope) => {
    const object = unwrapped(args[index] ?? NOTHING);
    const texts = names.map((name) => valuesOf(fieldOf(object, name) ?? NOTHING, scope));
    return concat([...(before === '' ? [] : [known(before)]), ...texts], ' ');
  };

/** What depends on more than the call. */
export const either =
  (one: Reader, two: Reader): Reader =>
  (args, scope) => [...one(args, scope), ...two(args, scope)];

const inside = (before: string, values: readonly Value[]): readonly Value[] => concat([known(before), values]);

/** The name of what is shown: `reviewJson(…)` is a `review`. */
const shownName = (name: string): string => name.replace(/(?:Json|Row)$/, '');

const callBody = (node: Call, scope: Scope): readonly Value[] => {
  const { callee } = node;
  if (callee.type === 'Identifier') {
    // The order of a list is no variant of it.
    if (callee.name === 'shuffled' && node.arguments[0] !== undefined) return bodyOf(node.arguments[0], scope);
    const given = scope.bound.get(callee.name);
    if (given?.node.type === 'ArrowFunctionExpression') return bodyOf(given.node.body, given.scope);
    return known(shownName(callee.name));
  }
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return known(HOLE);
  const { name } = callee.property;
  if (name === 'all' && node.arguments[0] !== undefined) return bodyOf(node.arguments[0], scope);
  if (name !== 'map' && name !== 'flatMap') return bodyOf(callee.object, scope);
  const each = node.arguments[0];
  if (each === undefined) return known(HOLE);
  const item = each.type === 'ArrowFunctionExpression' ? bodyOf(each.body, scope) : bodyOf(each, scope);
  return concat([item, known('[]')]);
};

const objectBody = (node: Extract<Node, { type: 'ObjectExpression' }>, scope: Scope): readonly Value[] => {
  for (const name of ['message', 'error', 'errors']) {
    const field = fieldOf(node, name);
    if (field !== null) return inside(`${name}: `, valuesOf(field, scope));
  }
  const names = node.properties.map((one) =>
    one.type === 'SpreadElement' ? bodyOf(one.argument, scope) : known(keyOf(one)),
  );
  return concat([known('{'), concat(names, ', '), known('}')]);
};

/** The variant of a body, in a word. */
const bodyOf = (expression: Node, scope: Scope): readonly Value[] => {
  const node = unwrapped(expression);
  if (node.type === 'NullLiteral') return known('null');
  if (node.type === 'ArrayExpression' && node.elements.length === 0) return known('[]');
  if (node.type === 'ConditionalExpression') return conditional(node, scope, bodyOf);
  if (node.type === 'ObjectExpression') return objectBody(node, scope);
  if (node.type === 'CallExpression') return callBody(node, scope);
  // What is made of a page.
  if (node.type === 'ArrowFunctionExpression') return bodyOf(node.body, scope);
  if (node.type !== 'Identifier') return known(HOLE);
  if (node.name.endsWith('Json')) return known(shownName(node.name));
  const found = lookUp(node.name, scope);
  return found === null ? known(HOLE) : bodyOf(found.node, found.scope);
};

const objectReply = (node: Extract<Node, { type: 'ObjectExpression' }>, scope: Scope): readonly Value[] => {
  const status = fieldOf(node, 'status');
  if (status === null) return [];
  const codes = valuesOf(status, scope).filter(({ text }) => /^[1-5]\d\d$/.test(text));
  const [html, text, json] = ['html', 'text', 'json'].map((name) => fieldOf(node, name));
  if (json) return concat([codes, bodyOf(json, scope)], ' ');
  if (text) return concat([codes, inside('text ', valuesOf(text, scope))], ' ');
  return inside('', concat([codes, known(html ? 'a page' : 'without a body')], ' '));
};

const refused = (node: Extract<Node, { type: 'NewExpression' }>, scope: Scope): readonly Value[] => {
  const [status = NOTHING, body = NOTHING, form] = node.arguments;
  const codes = valuesOf(status, scope).filter(({ text }) => /^[1-5]\d\d$/.test(text));
  if (form?.type === 'StringLiteral') return concat([codes, known('without a body')], ' ');
  const shown = body.type === 'ObjectExpression' ? bodyOf(body, scope) : valuesOf(body, scope);
  return concat([codes, shown.map((one) => (one.text === '' ? { ...one, text: 'with an empty message' } : one))], ' ');
};

const isPassedOn = (node: Node): boolean =>
  node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'status';

/** An answer whose status only shows while the simulator runs could be any. One that is passed on was found elsewhere. */
const certain = (codes: readonly Value[], status: Node, scope: Scope): readonly Value[] => {
  if (codes.length === 0 && !isPassedOn(unwrapped(status)))
    throw new Error(`${scope.file}: the source does not tell the status of an answer: write the number out`);
  return codes;
};

/** A page of a list is a list. */
const pageOf = ({ arguments: args }: Call, scope: Scope): readonly Value[] =>
  concat([known('200 page of '), bodyOf(args.at(-1) ?? NOTHING, scope)]);

/**
 * A function that only makes a refusal is read through to it, wherever it is; one that makes a reply only in the files
 * of `words`: elsewhere it answers by itself.
 */
const calledAnswer = (node: Call, scope: Scope, words: Vocabulary): readonly Value[] => {
  if (node.callee.type !== 'Identifier') return [];
  if (node.callee.name === 'paged') return pageOf(node, scope);
  const word = lookUp(node.callee.name, scope);
  const within = word === null ? null : applied(word, node.arguments, scope);
  if (word === null || within === null) return [];
  const body = unwrapped(within.node);
  if (isRefusal(word, words)) return answered(body, within.scope, words);
  if (!words.words.includes(word.scope.file)) return [];
  const status = fieldOf(body, 'status');
  const found = answered(body, within.scope, words);
  return status === null ? found : certain(found, node.arguments[0] ?? status, scope);
};

/** Whether a node is an answer, and which ones. */
const answered = (node: Node, scope: Scope, words: Vocabulary): readonly Value[] => {
  if (node.type === 'ObjectExpression') return objectReply(node, scope);
  if (node.type === 'CallExpression') return calledAnswer(node, scope, words);
  if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') return [];
  const isOne = node.callee.name === words.refusal;
  return isOne ? certain(refused(node, scope), node.arguments[0] ?? node, scope) : [];
};

/** `(reason) => new Refusal(…)`, or one that calls such a function. */
export const isRefusal = ({ node, scope }: Bound, words: Vocabulary): boolean => {
  if (node.type !== 'ArrowFunctionExpression') return false;
  const body = unwrapped(node.body);
  if (body.type === 'NewExpression') return body.callee.type === 'Identifier' && body.callee.name === words.refusal;
  const next =
    body.type === 'CallExpression' && body.callee.type === 'Identifier' ? lookUp(body.callee.name, scope) : null;
  return next !== null && next.node !== node && isRefusal(next, words);
};

const effects = (node: Node, scope: Scope, words: Vocabulary): readonly Value[] => {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return [];
  const { name } = node.callee;
  const [writes, fires] = [words.writes[name], words.fires[name]];
  const found = [
    ...(writes === undefined ? [] : inside('writes ', writes(node.arguments, scope))),
    ...(fires === undefined ? [] : inside('webhook ', fires(node.arguments, scope))),
  ];
  const unclear = found.find(({ text }) => text.split(' ').includes(HOLE));
  if (unclear === undefined) return found;
  throw new Error(
    `${scope.file}: the source does not tell what ${name}(…) does ("${unclear.text}"): write the name out`,
  );
};

/** Functions of the vocabulary are read where they are called, with what they are given. */
const isWord = (name: string, { writes, fires }: Vocabulary): boolean => name in writes || name in fires;

const toldTo = (node: Node, scope: Scope, words: Vocabulary): readonly string[] => {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return [];
  const { name } = node.callee;
  const told = words.told.includes(name) ? lookUp(name, scope) : null;
  const within = told === null ? null : applied(told, node.arguments, scope);
  return within === null ? [] : answersIn(name, within, words);
};

/** Of a whole function, those of the functions within it included, those of functions that it calls not. */
export const answersIn = (name: string, { node, scope }: Bound, words: Vocabulary): readonly string[] => {
  const all = below(node);
  // What only makes a refusal is read where it is called.
  const makers = new Set<Node>(
    all.flatMap((one) =>
      isRefusal({ node: one, scope }, words) && one.type === 'ArrowFunctionExpression' ? [one.body] : [],
    ),
  );
  const found = all
    .filter((one) => !makers.has(one))
    .flatMap((one) => [...answered(one, scope, words), ...(isWord(name, words) ? [] : effects(one, scope, words))]);
  return [...new Set([...found.map(({ text }) => text.trim()), ...all.flatMap((one) => toldTo(one, scope, words))])];
};
