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
  STEPS,
  MEMBER,
  namesOf,
  oneWrite,
  orWrapped,
  OVER_NAMES,
  written,
} from './pollution-nodes.ts';

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
const OLD_VALUE = orWrapped(OLD_NAME);

/** What the function returns for the key, or something made of what another object has below the key. */
const MADE: GrepNode = {
  any: [
    {
      any: ['call_expression', 'ternary_expression', 'parenthesized_expression'].map((kind) => ({ kind })),
      has: { stopBy: 'end', pattern: '$SOURCE[$KEY]', not: MEMBER },
    },
    { kind: 'call_expression', has: { field: 'function', pattern: '$SELF' } },
  ],
};
const ASSIGNS: GrepNode = {
  pattern: 'Object.assign($TARGET, { [$KEY]: $GIVEN })',
  not: { has: { stopBy: 'end', kind: 'pair', has: { field: 'value', regex: '^\\{\\s*\\}$' } } },
};
/** The key is the counter of a loop. */
const COUNTED: GrepNode = {
  inside: {
    stopBy: FUNCTIONS,
    kind: 'for_statement',
    has: { field: 'increment', any: [{ pattern: '$KEY' }, { has: { pattern: '$KEY' } }] },
  },
};
/** Another name of the target. */
const SAME_TARGET: GrepNode = contains({
  any: [declares('$TARGET', { kind: 'identifier', pattern: '$SAME' }), declares('$SAME', { pattern: '$TARGET' })],
});

/** A loop takes both objects from a list, and adds what both have below the key. */
const LISTED: GrepNode = {
  inside: {
    stopBy: FUNCTIONS,
    kind: 'while_statement',
    has: {
      stopBy: 'end',
      kind: 'call_expression',
      all: [
        { has: { field: 'function', has: { field: 'property', regex: '^(push|unshift)$' } } },
        {
          has: {
            field: 'arguments',
            all: [
              { has: { stopBy: 'end', ...MEMBER } },
              { has: { stopBy: 'end', pattern: '$SOURCE[$KEY]', not: MEMBER } },
            ],
          },
        },
      ],
    },
  },
};

const MERGES: GrepNode = {
  all: [
    { any: [oneWrite(MADE), ASSIGNS, { pattern: 'Object.defineProperty($TARGET, $KEY, $DESCRIPTOR)' }] },
    STEPS,
    OVER_NAMES,
    { not: GUARDED },
    { not: namesOf('$TARGET') },
    { not: COUNTED },
    {
      any: [
        contains(callsItself(orWrapped(MEMBER))),
        { all: [contains(declares('$OLD', orWrapped(MEMBER))), contains(callsItself(OLD_VALUE))] },
        LISTED,
        {
          all: [SAME_TARGET, { not: namesOf('$SAME') }, contains(callsItself(orWrapped({ pattern: '$SAME[$KEY]' })))],
        },
      ],
    },
  ],
};

/** A function with such a name gets the old value. It may be a library's, or call back into this one. */
const MERGES_OLD: GrepNode = {
  kind: 'call_expression',
  all: [
    { has: { field: 'function', regex: '(?i)(merge|extend|mixin|deep)\\w*$' } },
    {
      any: [
        { has: { field: 'arguments', has: MEMBER } },
        { all: [{ has: { field: 'arguments', has: OLD_NAME } }, contains(declares('$OLD', MEMBER))] },
      ],
    },
  ],
};
const TAKES_KEY: GrepNode = inFunction({
  any: [
    { has: { field: 'parameters', has: { stopBy: 'end', kind: 'identifier', pattern: '$KEY' } } },
    { has: { field: 'parameter', pattern: '$KEY' } },
  ],
});
const MERGES_BY_NAME: GrepNode = {
  all: [written(MEMBER, { kind: 'identifier' }), TAKES_KEY, { not: GUARDED }, contains(MERGES_OLD)],
};

/** Another function gets what both objects have below the key, and the result is not only compared. */
const MERGES_BELOW: GrepNode = {
  all: [
    written(MEMBER, { pattern: '$SOURCE[$KEY]' }),
    TAKES_KEY,
    { not: GUARDED },
    contains({
      kind: 'call_expression',
      all: [
        { has: { field: 'arguments', all: [{ has: MEMBER }, { has: { pattern: '$SOURCE[$KEY]' } }] } },
        {
          any: [
            { inside: { kind: 'expression_statement' } },
            { inside: { kind: 'return_statement' } },
            { inside: written(MEMBER, { kind: 'call_expression' }) },
          ],
        },
      ],
    }),
  ],
};

/** A function that may be a parameter merges what both objects have below the key. */
const MERGES_INTO: GrepNode = {
  all: [
    written(MEMBER, {
      kind: 'call_expression',
      all: [
        { has: { field: 'function', regex: '(?i)(merge|extend|mixin|deep)\\w*$' } },
        { has: { field: 'arguments', all: [{ has: MEMBER }, { has: { pattern: '$SOURCE[$KEY]' } }] } },
      ],
    }),
    TAKES_KEY,
    { not: GUARDED },
    { not: contains(written({ pattern: '$TARGET[$LAST]' }, { pattern: '$SOURCE[$KEY]' })) },
  ],
};

/** The properties of one object are copied into the one that a key names. */
const COPIES_BELOW_KEY: GrepNode = {
  all: [
    {
      kind: 'assignment_expression',
      all: [
        {
          has: {
            field: 'left',
            all: [
              { pattern: '$TARGET[$GROUP][$KEY]' },
              {
                has: {
                  field: 'object',
                  has: { field: 'index', any: ['identifier', 'member_expression'].map((kind) => ({ kind })) },
                },
              },
            ],
          },
        },
        { has: { field: 'right', pattern: '$SOURCE[$KEY]' } },
      ],
    },
    {
      inside: {
        stopBy: 'end',
        kind: 'for_in_statement',
        all: [{ has: { field: 'left', pattern: '$KEY' } }, { has: { field: 'right', pattern: '$SOURCE' } }],
      },
    },
    { not: GUARDED },
  ],
};

export const MERGE_PROTOTYPE_RULES: readonly StructuralRule[] = [
  {
    id: 'js-merge-prototype',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: TITLE,
    explanation: EXPLANATION,
    rule: { any: [MERGES, MERGES_BY_NAME, MERGES_BELOW, MERGES_INTO, COPIES_BELOW_KEY] },
    constraints: {
      TARGET: {
        any: [
          ...['identifier', 'this', 'member_expression'].map((kind) => ({ kind })),
          { kind: 'subscript_expression', regex: '^arguments\\[\\d\\]$' },
        ],
      },
    },
    follows: true,
    where: 'production',
    examples: [
      {
        code: 'function fill(list, source) {\n  for (let i = 0; i < source.length; i += 1) list[i] = fill(list[i] || {}, source[i]);\n  for (const key in source) list.set(key);\n}\n',
        lines: [],
      },
      {
        code: 'function merge(target, source) {\n  const pairs = [[target, source]];\n  while (pairs.length > 0) {\n    const [into, from] = pairs.pop();\n    for (const key in from) {\n      if (isPlain(into[key])) pairs.push([into[key], from[key]]);\n      else into[key] = from[key];\n    }\n  }\n}\nSettings.prototype.extend = function (other) {\n  for (const key in other) {\n    if (isPlain(this[key])) Settings.prototype.extend.call(this[key], other[key]);\n    else this[key] = other[key];\n  }\n};\nfunction extend() {\n  for (const key in arguments[1]) {\n    if (isPlain(arguments[0][key])) extend(arguments[0][key], arguments[1][key]);\n    else arguments[0][key] = arguments[1][key];\n  }\n}\nfunction visit(nodes) {\n  const list = [nodes];\n  while (list.length > 0) {\n    const node = list.pop();\n    for (const key in node.inner) {\n      list.push(node[key]);\n      node[key] = cache[key];\n    }\n  }\n}\n',
        lines: [7, 14, 20],
      },
      {
        code: 'function merge(target, more) {\n  const result = target;\n  each(more, function forEach(key, value) {\n    if (target[key] === undefined) result[key] = value;\n    else result[key] = merge(target[key], more[key]);\n  });\n}\nfunction mix(dest, given) {\n  const same = dest;\n  for (const key in given) {\n    if (isPlain(same[key])) mix(same[key], given[key]);\n    else dest[key] = given[key];\n  }\n}\nfunction walk(tree) {\n  const all = tree;\n  for (const key in tree) {\n    all[key] = walk(tree[key]);\n  }\n}\n',
        lines: [4, 12],
      },
      {
        code: 'function merge(base, more) {\n  Object.keys(more).forEach((key) => {\n    if (isPlain(more[key])) base[key] = merge(base[key] || {}, more[key]);\n    else base[key] = more[key];\n  });\n}\nfunction combine(list) {\n  const all = list[0];\n  for (const name in list[1]) {\n    if (isPlain(all[name])) combine([all[name], list[1][name]]);\n    else all[name] = list[1][name];\n  }\n}\nfunction copy(host, given) {\n  for (const key in given) {\n    const old = host[key] || (host[key] = {});\n    if (isPlain(given[key])) copy.call(null, old, given[key]);\n    else host[key] = clone(given[key]);\n  }\n}\nconst extend = function (a, b) {\n  for (const k in b) {\n    if (isPlain(b[k])) arguments.callee(a[k], b[k]);\n    else a[k] = b[k];\n  }\n};\n',
        lines: [4, 11, 18, 24],
      },
      {
        code: 'function assign(target, ...sources) {\n  for (const key in sources[0]) {\n    if (isPlain(sources[0][key])) {\n      if (!target[key]) Object.assign(target, { [key]: {} });\n      assign(target[key], sources[0][key]);\n    } else {\n      Object.assign(target, { [key]: sources[0][key] });\n    }\n  }\n}\nfunction define(target, source) {\n  for (const key in source) {\n    if (isPlain(target[key])) define(target[key], source[key]);\n    else Object.defineProperty(target, key, descriptorOf(source, key));\n  }\n}\nfunction sort(nodes, order) {\n  each(nodes, (node, key) => {\n    sort(nodes[key], order);\n    nodes[key] = ordered(order[key]);\n  });\n}\nfunction sum(totals, more) {\n  for (const key in more) totals[key] = Math.max(totals[key], more[key]);\n}\n',
        lines: [7, 14],
      },
      {
        code: '(function (root, factory) {\n  factory((root.merge = {}));\n})(this, function (exports) {\n  function merge(base, more) {\n    for (const key in more)\n      base[key] = isPlain(base[key]) && isPlain(more[key]) ? merge(base[key], more[key]) : more[key];\n    return base;\n  }\n  exports.isData = (name) => name !== "constructor";\n});\nconst mergeObjects = (old, patch) => {\n  const names = Object.getOwnPropertyNames(patch);\n  for (let i = 0; i < names.length; i++) {\n    const name = names[i];\n    if (!isPlain(patch[name])) old[name] = patch[name];\n    else old[name] = mergeObjects(old[name], patch[name]);\n  }\n};\nfunction recursive(host, given) {\n  Object.keys(given).forEach(step(host, given));\n}\nfunction step(host, given) {\n  return function (key) {\n    if (isPlain(given[key])) recursive(host[key], given[key]);\n    else host[key] = given[key];\n  };\n}\n',
        lines: [6, 15, 25],
      },
      {
        code: 'function reduce(target, source, merge) {\n  Object.keys(source).reduce(function (all, key) {\n    all[key] = merge(all[key], source[key]);\n    return all;\n  }, target);\n}\nfunction total(all, more) {\n  Object.keys(more).forEach((key) => {\n    all[key] = Math.max(all[key], more[key]);\n  });\n}\n',
        lines: [3],
      },
      {
        code: 'function update(old, given) {\n  return function (key) {\n    if (!isEqual(old[key], given[key])) old[key] = given[key];\n  };\n}\nfunction copy(host, given, key) {\n  log(host[key]);\n  host[key] = given[key];\n}\n',
        lines: [],
      },
      {
        code: "Locales.prototype.update = function (texts) {\n  for (var key in texts) this.cache[this.locale][key] = texts[key];\n};\nfunction keep(texts) {\n  for (const key in texts) cache['en'][key] = texts[key];\n  for (const key in names) cache[locale][key] = texts[key];\n}\n",
        lines: [2],
      },
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
      {
        code: 'function copy(value, key) {\n  const old = this[key];\n  if (isPlain(old) && isPlain(value)) mixin(old, value);\n  else this[key] = value;\n}\nfunction apply(settings, given) {\n  Object.entries(given).forEach(([key, value]) => {\n    if (isPlain(value)) _.mergeWith(settings[key], value);\n    else settings[key] = value;\n  });\n}\n',
        lines: [4, 9],
      },
      {
        code: "function copy(value, key) {\n  if (key === '__proto__') return;\n  if (isPlain(value)) mixin(this[key], value);\n  else this[key] = value;\n}\nfunction remember(value, key) {\n  log(cache[key]);\n  cache[key] = value;\n}\nfunction combine(settings, given) {\n  const all = merge(settings, given);\n  for (const key in all) settings[key] = all;\n}\n",
        lines: [],
      },
    ],
  },
];
