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

export const JAVASCRIPT_POLLUTION_RULES: readonly StructuralRule[] = [
  {
    id: 'js-merge-prototype',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: TITLE,
    explanation: EXPLANATION,
    rule: {
      any: [
        {
          kind: 'call_expression',
          any: [
            '$MERGE($TARGET[$KEY], $SOURCE[$KEY])',
            '$MERGE($TARGET[$KEY], $SOURCE[$KEY], $$$REST)',
            '$MERGE($DEEP, $TARGET[$KEY], $SOURCE[$KEY])',
          ].map((pattern) => ({ pattern })),
        },
        {
          all: [
            { pattern: '$TARGET[$KEY] = $MERGE($OLD, $NEW)' },
            inFunction({
              has: {
                stopBy: 'end',
                kind: 'variable_declarator',
                all: [
                  { has: { field: 'name', pattern: '$OLD' } },
                  { has: { field: 'value', pattern: '$TARGET[$KEY]' } },
                ],
              },
            }),
          ],
        },
      ],
      all: [
        {
          inside: {
            stopBy: 'end',
            any: ['function_declaration', 'function_expression', 'variable_declarator'].map((kind) => ({ kind })),
            has: { field: 'name', pattern: '$MERGE' },
          },
        },
        inFunction({ regex: '\\b(for\\s*\\([^;)]*\\sin\\s|Object\\.keys\\(|Reflect\\.ownKeys\\()' }),
        inFunction({ has: { stopBy: 'end', pattern: '$TARGET[$KEY] = $ANY' } }),
        { not: GUARDED },
      ],
    },
    where: 'production',
    examples: [
      {
        code: 'function merge(target, source) {\n  for (const key in source) {\n    if (isObject(source[key])) merge(target[key], source[key]);\n    else target[key] = source[key];\n  }\n  return target;\n}\n',
        lines: [3],
      },
      {
        code: "function merge(target, source) {\n  for (const key in source) {\n    if (key === '__proto__') continue;\n    if (isObject(source[key])) merge(target[key], source[key]);\n    else target[key] = source[key];\n  }\n  return target;\n}\nfunction copy(source) {\n  const result = {};\n  for (const key in source) result[key] = copy(source[key]);\n  return result;\n}\nfunction show(nodes, route) {\n  for (const name in nodes) {\n    html += show(nodes[name], [...route, name]);\n    nodes[name] = null;\n  }\n}\n",
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
      kind: 'assignment_expression',
      all: [
        {
          any: [
            '$NODE = $NODE[$KEY]',
            '$NODE = $NODE[$KEY] = $NEXT',
            '$NODE = ($NODE[$KEY] = $NEXT)',
            '$NODE = $NODE[$KEY] || $NEXT',
          ].map((pattern) => ({ pattern })),
        },
        {
          inside: {
            stopBy: 'end',
            any: [
              ...['for_statement', 'for_in_statement', 'while_statement', 'do_statement'].map((kind) => ({ kind })),
              { kind: 'call_expression', has: { field: 'function', regex: '\\.(forEach|reduce|map|some|every)$' } },
            ],
          },
        },
        inFunction({
          all: [
            { has: { stopBy: 'end', pattern: '$NODE[$LAST] = $VALUE' } },
            { regex: 'split\\w*\\(|\\.shift\\(\\)|\\bpath\\[' },
            {
              has: {
                kind: 'formal_parameters',
                regex: '(?i)\\b(path|keys?|keypath|prop(erty|s)?|field|segments|parts|selector)\\b',
              },
            },
          ],
        }),
        { not: GUARDED },
      ],
    },
    constraints: { NODE: { kind: 'identifier' } },
    where: 'production',
    examples: [
      {
        code: "function set(object, path, value) {\n  const parts = path.split('.');\n  const last = parts.pop();\n  for (const part of parts) {\n    object = object[part] = object[part] || {};\n  }\n  object[last] = value;\n}\n",
        lines: [5],
      },
      {
        code: "function set(object, path, value) {\n  if (path.includes('__proto__')) return;\n  const parts = path.split('.');\n  const last = parts.pop();\n  for (const part of parts) object = object[part] = object[part] || {};\n  object[last] = value;\n}\nfunction get(object, path) {\n  for (const part of path.split('.')) object = object[part];\n  return object;\n}\n",
        lines: [],
      },
    ],
  },
];
