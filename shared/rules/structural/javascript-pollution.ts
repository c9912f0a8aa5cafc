import type { GrepNode, StructuralRule } from '../model/rule.ts';

const JAVASCRIPT = ['JavaScript', 'TypeScript', 'Tsx'] as const;

const FUNCTIONS = ['function_declaration', 'function_expression', 'arrow_function', 'method_definition'];
const inFunction = (node: GrepNode): GrepNode => ({
  inside: { stopBy: 'end', any: FUNCTIONS.map((kind) => ({ kind })), ...node },
});
/** The function, or one around it, looks at the key. */
const GUARDED = inFunction({
  regex:
    '__proto__|[\'"`]constructor[\'"`]|[\'"`]prototype[\'"`]|Object\\.create\\(null\\)|(?i:is(un)?safe|forbidden|blocklist|blacklist|pollut|hasOwn(Property)?(\\.call)?\\((target|dest|to|result|into|dst|base|acc)\\b)|new Map\\(',
});
const TITLE = 'Key of the input can change all objects';
const EXPLANATION =
  'Prototype pollution: with the key `__proto__`, the assignment writes to the prototype of every object. Skip `__proto__`, `constructor` and `prototype`, or write to a `Map` or an object without a prototype.';

/** The function that the node is in, or one around it, has the name `$SELF`. */
const NAMED_SELF: GrepNode = {
  inside: {
    stopBy: 'end',
    any: [
      ...['function_declaration', 'function_expression', 'method_definition', 'variable_declarator'].map((kind) => ({
        kind,
        has: { field: 'name', pattern: '$SELF' },
      })),
      {
        kind: 'assignment_expression',
        all: [
          { has: { field: 'right', any: FUNCTIONS.map((kind) => ({ kind })) } },
          {
            has: {
              field: 'left',
              any: [{ kind: 'identifier', pattern: '$SELF' }, { has: { field: 'property', pattern: '$SELF' } }],
            },
          },
        ],
      },
      { kind: 'pair', has: { field: 'key', pattern: '$SELF' } },
    ],
  },
};
const HAS_NAME: GrepNode = {
  any: [
    { kind: 'function_declaration' },
    { kind: 'method_definition' },
    { kind: 'function_expression', has: { field: 'name', kind: 'identifier' } },
    {
      any: FUNCTIONS.map((kind) => ({ kind })),
      inside: { any: ['variable_declarator', 'assignment_expression', 'pair'].map((kind) => ({ kind })) },
    },
  ],
};
/** The function around the node that has a name, or a callback in between, contains such a node. */
const contains = (node: GrepNode): GrepNode => ({
  inside: { stopBy: HAS_NAME, any: FUNCTIONS.map((kind) => ({ kind })), has: { stopBy: 'end', ...node } },
});
/** A call of the function itself, with such an argument. */
const callsItself = (argument: GrepNode, more: GrepNode = {}): GrepNode => ({
  kind: 'call_expression',
  all: [
    { has: { field: 'arguments', has: argument, ...more } },
    {
      has: {
        field: 'function',
        any: [{ kind: 'identifier', pattern: '$SELF' }, { has: { field: 'property', pattern: '$SELF' } }],
      },
    },
    NAMED_SELF,
  ],
});
const declares = (name: string, value: GrepNode): GrepNode => ({
  any: [
    {
      kind: 'variable_declarator',
      all: [{ has: { field: 'name', pattern: name } }, { has: { field: 'value', ...value } }],
    },
    {
      kind: 'assignment_expression',
      all: [{ has: { field: 'left', pattern: name } }, { has: { field: 'right', ...value } }],
    },
  ],
});

const STEPS: GrepNode = {
  inside: {
    stopBy: 'end',
    any: [
      ...['for_statement', 'for_in_statement', 'while_statement', 'do_statement'].map((kind) => ({ kind })),
      { kind: 'call_expression', has: { field: 'function', regex: '\\.(forEach|reduce|map|some|every)$' } },
    ],
  },
};

const MEMBER: GrepNode = { pattern: '$TARGET[$KEY]' };
/** A value that was there before, as opposed to a new object. */
const PLAIN: GrepNode = { any: ['identifier', 'subscript_expression'].map((kind) => ({ kind })) };
const written = (member: GrepNode, value: GrepNode): GrepNode => ({
  kind: 'assignment_expression',
  all: [{ has: { field: 'left', ...member } }, { has: { field: 'right', ...value } }],
});
/** The assignment of the value; in a function without one, that of a new object. One defect is one finding. */
const oneWrite = (other: GrepNode): GrepNode => ({
  any: [
    written(MEMBER, PLAIN),
    { all: [written(MEMBER, other), { not: contains(written({ pattern: '$TARGET[$LAST]' }, PLAIN)) }] },
  ],
});

/** The old value, or what was assigned one of it and something else; also in a list. */
const OLD_NAME: GrepNode = {
  any: [
    { pattern: '$OLD' },
    {
      kind: 'identifier',
      pattern: '$NEXT',
      ...contains(declares('$NEXT', { kind: 'ternary_expression', has: { stopBy: 'end', pattern: '$OLD' } })),
    },
  ],
};
const OLD_VALUE: GrepNode = { any: [OLD_NAME, { kind: 'array', has: OLD_NAME }] };

const MERGES: GrepNode = {
  all: [
    oneWrite({ kind: 'call_expression', has: { field: 'function', pattern: '$SELF' } }),
    STEPS,
    inFunction({ regex: '\\b(for\\s*\\([^;)]*\\s(in|of)\\s|Object\\.(keys|entries)\\(|Reflect\\.ownKeys\\()' }),
    { not: GUARDED },
    {
      not: contains({
        any: [
          { kind: 'for_in_statement', has: { field: 'right', pattern: '$TARGET' } },
          { pattern: 'Object.keys($TARGET)' },
          { pattern: 'Object.entries($TARGET)' },
        ],
      }),
    },
    {
      any: [
        contains(callsItself(MEMBER)),
        { all: [contains(declares('$OLD', MEMBER)), contains(callsItself(OLD_VALUE))] },
      ],
    },
  ],
};

/** The rest of a path, without its first part. */
const REST: GrepNode = { regex: '\\.slice\\(1\\)|\\.shift\\(\\)|\\.join\\(|(?i)rest|tail' };
const WALKS: readonly GrepNode[] = [
  contains({
    kind: 'assignment_expression',
    all: [
      { has: { field: 'left', pattern: '$TARGET' } },
      {
        has: {
          field: 'right',
          any: [
            { kind: 'subscript_expression', has: { field: 'object', pattern: '$TARGET' } },
            { has: { stopBy: 'end', kind: 'subscript_expression', has: { field: 'object', pattern: '$TARGET' } } },
          ],
        },
      },
    ],
  }),
  {
    all: [
      contains({ pattern: '$TARGET = $CHILD' }),
      contains(declares('$CHILD', { kind: 'subscript_expression', has: { field: 'object', pattern: '$TARGET' } })),
    ],
  },
  contains(callsItself({ kind: 'subscript_expression', has: { field: 'object', pattern: '$TARGET' } }, REST)),
  contains(declares('$TARGET', { regex: '\\.reduce\\(' })),
];
export const JAVASCRIPT_POLLUTION_RULES: readonly StructuralRule[] = [
  {
    id: 'js-merge-prototype',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: TITLE,
    explanation: EXPLANATION,
    rule: MERGES,
    constraints: { TARGET: { kind: 'identifier' } },
    follows: true,
    where: 'production',
    examples: [
      {
        code: 'function merge(target, source) {\n  for (const key in source) {\n    if (isObject(source[key])) merge(target[key], source[key]);\n    else target[key] = source[key];\n  }\n  return target;\n}\n',
        lines: [4],
      },
      {
        code: 'module.exports = function apply(doc, patch) {\n  for (const key in patch) {\n    const value = patch[key];\n    if (value === null) delete doc[key];\n    else doc[key] = apply(doc[key], value);\n  }\n  return doc;\n};\nfunction extend(target, options) {\n  var name, old, clone;\n  for (name in options) {\n    old = target[name];\n    if (isPlain(options[name])) {\n      clone = old && isPlain(old) ? old : {};\n      target[name] = extend(clone, options[name]);\n    } else target[name] = options[name];\n  }\n  return target;\n}\nconst tools = {\n  merge(to, from) {\n    Object.entries(from).forEach(([key, value]) => {\n      const old = to[key];\n      if (isPlain(old) && isPlain(value)) this.merge(old, value);\n      else to[key] = value;\n    });\n  },\n};\n',
        lines: [5, 16, 25],
      },
      {
        code: "function merge(target, source) {\n  for (const key in source) {\n    if (key === '__proto__') continue;\n    if (isObject(source[key])) merge(target[key], source[key]);\n    else target[key] = source[key];\n  }\n  return target;\n}\nfunction copy(source) {\n  const result = {};\n  for (const key in source) result[key] = copy(source[key]);\n  return result;\n}\nfunction show(nodes, route) {\n  for (const name in nodes) {\n    html += show(nodes[name], [...route, name]);\n    nodes[name] = null;\n  }\n}\nfunction freeze(nodes) {\n  for (const name in nodes) {\n    const node = nodes[name];\n    freeze(nodes[name]);\n    nodes[name] = node;\n  }\n}\nfunction defaults(target, source) {\n  for (const key in source) target[key] = source[key];\n}\n",
        lines: [],
      },
    ],
  },
  {
    id: 'js-set-by-path-prototype',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: TITLE,
    explanation: EXPLANATION,
    rule: {
      all: [
        oneWrite({ regex: '\\{|\\[' }),
        inFunction({ regex: 'split\\w*\\(|\\.shift\\(\\)|\\.pop\\(\\)|\\b(path|parts|keys|segments|props)\\[' }),
        inFunction({
          has: {
            kind: 'formal_parameters',
            regex: '(?i)\\b\\w*(path|keys?|keypath|prop(erty|s)?|fields?|segments|parts|selector|str)\\b',
          },
        }),
        { not: GUARDED },
        { any: WALKS },
      ],
    },
    constraints: { TARGET: { kind: 'identifier' } },
    follows: true,
    where: 'production',
    examples: [
      {
        code: "function set(object, path, value) {\n  const parts = path.split('.');\n  const last = parts.pop();\n  for (const part of parts) {\n    object = object[part] = object[part] || {};\n  }\n  object[last] = value;\n}\n",
        lines: [7],
      },
      {
        code: "function set(object, path, value) {\n  for (let i = 0; i < path.length - 1; i += 1) {\n    let child = object[path[i]];\n    if (!isObject(child)) object[path[i]] = child = {};\n    object = child;\n  }\n  object[path[path.length - 1]] = value;\n}\nfunction setDeep(target, path, value) {\n  const key = path.split('.')[0];\n  if (path.length > 1) target[key] = setDeep(target[key], path.slice(1), value);\n  else target[key] = value;\n}\nfunction create(node, keys) {\n  for (let i = 0; i < keys.length; i += 1) {\n    const key = keys[i];\n    node[key] = node[key] || { children: 0 };\n    node = node[key];\n  }\n}\nfunction add(object, str, val) {\n  const items = str.split('.');\n  const holder = items.slice(0, -1).reduce(next, object);\n  holder[items.pop()] = val;\n}\n",
        lines: [7, 12, 17, 24],
      },
      {
        code: "function set(object, path, value) {\n  if (path.includes('__proto__')) return;\n  const parts = path.split('.');\n  const last = parts.pop();\n  for (const part of parts) object = object[part] = object[part] || {};\n  object[last] = value;\n}\nfunction get(object, path) {\n  for (const part of path.split('.')) object = object[part];\n  return object;\n}\nfunction count(words, text) {\n  for (const word of text.split(' ')) words[word] = text;\n}\nfunction index(list, keys) {\n  const found = {};\n  for (const key of keys.split(',')) found[key] = list;\n  return found;\n}\n",
        lines: [],
      },
    ],
  },
];
