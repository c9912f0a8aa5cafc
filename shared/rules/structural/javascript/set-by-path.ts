import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { FUNCTIONS, inFunction } from './function-nodes.ts';
import {
  JAVASCRIPT,
  GUARDED,
  TITLE,
  EXPLANATION,
  contains,
  callsItself,
  declares,
  oneWrite,
  orWrapped,
} from './pollution-nodes.ts';

/** The rest of a path, without its first part. */
const REST: GrepNode = {
  regex:
    '\\.slice\\(1\\)|\\.shift\\(\\)|\\.join\\(|\\.(slice|substr|substring)\\([^()]*\\+\\s*1\\)|(?i)rest|remain|tail',
};
const CHILD: GrepNode = { kind: 'subscript_expression', has: { field: 'object', pattern: '$TARGET' } };
/** A call that yields what the path names below the target. */
const LOOKED_UP: GrepNode = {
  kind: 'call_expression',
  all: [
    { has: { field: 'function', regex: '(?i)(^|\\.)\\w*(get|child|descend|walk|dig|resolve)\\w*$' } },
    { has: { field: 'arguments', has: { nthChild: 1, pattern: '$TARGET' } } },
  ],
};
/** The function is the callback of a `reduce` that goes from the target to its child. */
const REDUCES: GrepNode = {
  inside: {
    stopBy: { ...FUNCTIONS },
    ...FUNCTIONS,
    all: [
      {
        has: {
          field: 'parameters',
          has: { nthChild: 1, any: [{ pattern: '$TARGET' }, { has: { field: 'pattern', pattern: '$TARGET' } }] },
        },
      },
      {
        has: {
          field: 'body',
          any: [
            CHILD,
            { kind: 'binary_expression', has: CHILD },
            { has: { stopBy: 'end', kind: 'return_statement', has: { stopBy: 'end', ...CHILD } } },
          ],
        },
      },
    ],
    inside: { kind: 'arguments', inside: { kind: 'call_expression', has: { field: 'function', regex: '\\.reduce$' } } },
  },
};
/** The target is replaced by its child, or a callback of `reduce` goes on to it. */
const STEPS_DOWN: readonly GrepNode[] = [
  contains({
    kind: 'assignment_expression',
    all: [
      { has: { field: 'left', pattern: '$TARGET' } },
      {
        has: {
          field: 'right',
          any: [
            CHILD,
            LOOKED_UP,
            { kind: 'assignment_expression', has: CHILD },
            { kind: 'binary_expression', has: CHILD },
          ],
        },
      },
    ],
  }),
  {
    all: [contains({ pattern: '$TARGET = $CHILD' }), contains(declares('$CHILD', { any: [CHILD, LOOKED_UP] }))],
  },
  // The target stays one step behind the variable that goes down.
  {
    all: [
      contains({
        kind: 'assignment_expression',
        all: [
          { has: { field: 'left', pattern: '$TARGET' } },
          { has: { field: 'right', kind: 'identifier', pattern: '$AHEAD' } },
        ],
      }),
      contains({ pattern: '$AHEAD = $AHEAD[$NAME]' }),
    ],
  },
  REDUCES,
];
/** The value is a parameter of the function, or of one around it. */
const VALUE_GIVEN: GrepNode = {
  all: [
    { has: { field: 'right', kind: 'identifier', pattern: '$VALUE' } },
    inFunction({
      has: {
        field: 'parameters',
        has: { any: [{ pattern: '$VALUE' }, { has: { field: 'pattern', pattern: '$VALUE' } }] },
      },
    }),
  ],
};
/** The target is what another function yields for the path without its last part. */
const IS_PARENT: GrepNode = {
  all: [
    inFunction({ regex: '\\.pop\\(\\)|\\.slice\\(0, ?-1\\)' }),
    contains(
      declares('$TARGET', {
        kind: 'call_expression',
        all: [
          { has: { field: 'function', regex: '(?i)(^|\\.)\\w*(get|child|descend|walk|dig|resolve|parent)\\w*$' } },
          { has: { field: 'arguments', has: { nthChild: 2 } } },
        ],
      }),
    ),
  ],
};
/** The call of the function itself says that there is a rest of the path. */
const GOES_ON: GrepNode = {
  any: [
    contains(callsItself(orWrapped(CHILD), REST)),
    // The next part of the path is the next item of a list.
    {
      all: [
        { has: { field: 'left', has: { field: 'index', pattern: '$PARTS[$AT]' } } },
        contains(callsItself(CHILD, { all: [{ has: { pattern: '$AT + 1' } }] })),
      ],
    },
    { all: [contains(declares('$CHILD', CHILD)), contains(callsItself({ pattern: '$CHILD' }, REST))] },
  ],
};
const WALKS: readonly GrepNode[] = [
  ...STEPS_DOWN,
  contains({
    kind: 'assignment_expression',
    all: [
      { has: { field: 'left', pattern: '$TARGET' } },
      { has: { field: 'right', has: { stopBy: 'end', ...CHILD } } },
    ],
  }),
  GOES_ON,
  { all: [inFunction({ regex: '\\.shift\\(\\)' }), contains(callsItself(CHILD))] },
  contains(declares('$TARGET', { regex: '\\.reduce\\(' })),
  { all: [IS_PARENT, VALUE_GIVEN] },
];
const TAKES_PATH: GrepNode = inFunction({
  has: {
    kind: 'formal_parameters',
    regex: '(?i)\\b\\w*(path|keys?|keypath|prop(erty|s)?|fields?|segments|parts|selector|str|pointer|tokens|space)\\b',
  },
});
/** Splits a path, or takes one out of an object. */
const HAS_PATH: GrepNode = contains({
  any: [
    {
      kind: 'call_expression',
      all: [
        { has: { field: 'function', regex: '\\.split$' } },
        { has: { field: 'arguments', regex: '^\\(([\'"`][./][\'"`]|/)' } },
      ],
    },
    { kind: 'object_pattern', regex: '\\bpath\\b' },
  ],
});

/** Another function walks the first parts of the path, and the value is written below what it returns. */
const WRITES_BELOW: GrepNode = {
  kind: 'assignment_expression',
  all: [
    { has: { field: 'left', pattern: '$GET($ROOT, $FIRST)[$LAST]' } },
    VALUE_GIVEN,
    {
      has: {
        field: 'left',
        all: [
          {
            has: {
              field: 'object',
              has: {
                field: 'function',
                regex: '(?i)(get|child|descend|walk|dig|resolve|namespace|ensure|parent|create)\\w*$',
              },
            },
          },
          { has: { field: 'index', not: { kind: 'string' } } },
        ],
      },
    },
    inFunction({ regex: 'split\\w*\\(|\\.exec\\(|\\.match\\(|\\.pop\\(' }),
    { not: GUARDED },
  ],
};

export const SET_BY_PATH_RULES: readonly StructuralRule[] = [
  {
    id: 'js-set-by-path-prototype',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: TITLE,
    explanation: EXPLANATION,
    rule: {
      any: [
        WRITES_BELOW,
        {
          all: [
            oneWrite({ regex: '\\{|\\[' }),
            {
              any: [
                GOES_ON,
                inFunction({
                  regex:
                    'split\\w*\\(|\\.shift\\(\\)|\\.pop\\(\\)|(?i:path|parts|keys|segments|props|tokens|steps)\\[|(indexOf|includes)\\([\'"]\\.[\'"]\\)',
                }),
              ],
            },
            { not: GUARDED },
            {
              any: [
                { all: [TAKES_PATH, { any: WALKS }] },
                { all: [{ any: [HAS_PATH, VALUE_GIVEN] }, { any: STEPS_DOWN }] },
              ],
            },
          ],
        },
      ],
    },
    constraints: { TARGET: { kind: 'identifier' }, KEY: { not: { kind: 'number' } } },
    follows: true,
    where: 'production',
    examples: [
      {
        code: "function put(object, path, value) {\n  const names = path.split('/');\n  const last = names.pop();\n  const parent = getParent(object, names);\n  parent[last] = value;\n}\nfunction keep(path, value) {\n  const last = path.split('/').pop();\n  const parent = getParent(last);\n  parent[last] = value;\n}\n",
        lines: [5],
      },
      {
        code: "function set(object, path, value) {\n  const parts = split(path);\n  let parent = object;\n  for (const part of parts) {\n    parent = object;\n    object = object[part];\n  }\n  parent[parts.at(-1)] = value;\n}\nfunction put(object, key, value) {\n  const dot = key.indexOf('.');\n  if (dot < 0) object[key] = value;\n  else put(object[key.slice(0, dot)], key.substr(dot + 1), value);\n}\nfunction setPath(object, path, value) {\n  const { head, remaining } = stateOf(path);\n  if (remaining) setPath(object[head] || {}, remaining, value);\n  else object[path] = value;\n}\nfunction setIn(object, path, value, at = 0) {\n  if (at === path.length - 1) object[path[at]] = value;\n  else setIn(object[path[at]], path, value, at + 1);\n}\nfunction setBelow(object, path, value) {\n  const child = object[path[0]];\n  if (path.length === 1) object[path[0]] = value;\n  else setBelow(child, path.slice(1), value);\n}\nconst expand = (data, key) =>\n  key.split('.').reduce((node, name, at, all) => node[name] || (node[name] = at === all.length - 1 ? data[key] : {}), found);\n",
        lines: [8, 12, 18, 21, 26, 30],
      },
      {
        code: "(function (root) {\n  const parts = name.split('.');\n  let node = root;\n  for (const part of parts) node = node[part];\n  node[last] = root;\n})(window);\nfunction mark(object, path, value) {\n  let parent = object;\n  for (const part of split(path)) {\n    parent = object;\n    seen = seen[part];\n  }\n  parent[path] = value;\n}\nfunction paint(grid, keys, colour, depth) {\n  grid[keys] = colour;\n  if (depth < MAX) paint(grid[keys], keys, colour, depth + 1);\n}\n",
        lines: [],
      },
      {
        code: "function setPath(document, keyPath, value) {\n  const { first, restOfPath } = partsOf(keyPath);\n  if (restOfPath === '') document[keyPath] = value;\n  else setPath(document[first], restOfPath, value);\n}\nfunction visit(node, key, value) {\n  node[key] = value;\n  visit(node[key], key, value);\n}\n",
        lines: [3],
      },
      {
        code: 'function set(object, pointer, value) {\n  const tokens = read(pointer);\n  let next = tokens[0];\n  for (let i = 0; i < tokens.length - 1; i += 1) {\n    object = object[tokens[i]];\n    next = tokens[i + 1];\n  }\n  object[next] = value;\n}\nfunction put(root, where, value) {\n  let node = root;\n  const all = read(where);\n  const last = all.pop();\n  for (const name of all) node = node[name];\n  node[last] = value;\n}\nfunction mark(pointer) {\n  let node = marks;\n  const pathParts = read(pointer);\n  for (let i = 0; i < pathParts.length; i += 1) {\n    const key = pathParts[i];\n    node[key] = {};\n    node = node[key];\n  }\n}\nfunction write(object, name, value) {\n  const found = PAIR.exec(name);\n  namespace(object, found[1])[found[2]] = value;\n}\n',
        lines: [8, 15, 22, 28],
      },
      {
        code: "function fill(root, where, value) {\n  let node = root;\n  for (const name of read(where)) node = node[name];\n  node.last = value;\n}\nfunction write(object, name, value) {\n  const found = PAIR.exec(name);\n  getOptions(object, found[1])['last'] = value;\n  return format(object, found[1])[0];\n}\n",
        lines: [],
      },
      {
        code: "function set(object, key, value) {\n  if (key.indexOf('.') > -1) {\n    const found = getPair(object, key);\n    object = getParent(object, key);\n    key = found[1];\n  }\n  object[key] = value;\n}\n",
        lines: [7],
      },
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
      {
        code: "function set(name, value) {\n  let node = this.config;\n  const parts = name.split('.');\n  parts.forEach((item, index) => {\n    if (index === parts.length - 1) node[item] = value;\n    else node = node[item];\n  });\n}\nfunction assign(object, property, value) {\n  const all = property.split('.');\n  return all.reduce((node, name, index) => {\n    if (index === all.length - 1) node[name] = value;\n    return node[name];\n  }, object);\n}\nfunction dig(object, keys, value) {\n  const key = keys.shift();\n  if (keys.length === 0) object[key] = value;\n  return dig(object[key], keys, value);\n}\nfunction patch(draft, { path, value }) {\n  let base = draft;\n  for (let i = 0; i < path.length - 1; i += 1) base = getChild(base, path[i]);\n  base[path[path.length - 1]] = value;\n}\n",
        lines: [5, 12, 18, 24],
      },
      {
        code: "function total(text) {\n  return text.split('.').reduce((sums, word) => {\n    sums[word] = text;\n    return sums;\n  }, {});\n}\nfunction read(name) {\n  let node = this.config;\n  for (const part of name.split('.')) node = getChild(node, part);\n  this.cache[name] = node;\n}\nfunction visit(tree, keys) {\n  const key = keys.shift();\n  seen[key] = keys;\n  return visit(tree[key], keys);\n}\n",
        lines: [],
      },
    ],
  },
];
