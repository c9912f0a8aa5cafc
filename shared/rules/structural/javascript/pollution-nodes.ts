/** Shapes of code that changes the prototype of all objects. */
import type { GrepNode } from '../../model/rule.ts';
import { FUNCTIONS, inFunction, kinds } from './function-nodes.ts';

export const JAVASCRIPT = ['JavaScript', 'TypeScript', 'Tsx'] as const;

export const TITLE = 'Key of the input can change all objects';
export const EXPLANATION =
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
          { has: { field: 'right', ...FUNCTIONS } },
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
    {
      kind: 'function_expression',
      has: { field: 'name', kind: 'identifier' },
      // The name of a callback is only for stack traces.
      not: { inside: { kind: 'arguments' } },
    },
    {
      ...FUNCTIONS,
      inside: { any: ['variable_declarator', 'assignment_expression', 'pair'].map((kind) => ({ kind })) },
    },
  ],
};
/** A function that runs at once, such as the one around a whole module. */
const AT_ONCE: GrepNode = {
  any: [
    { inside: { kind: 'parenthesized_expression' } },
    { inside: { kind: 'call_expression' } },
    { inside: { kind: 'unary_expression' } },
    {
      inside: {
        kind: 'arguments',
        inside: {
          kind: 'call_expression',
          inside: {
            any: [{ kind: 'parenthesized_expression' }, { kind: 'expression_statement', inside: { kind: 'program' } }],
          },
        },
      },
    },
  ],
};
/** The function, or one around it, looks at the key, or the named function around it writes to a map. */
export const GUARDED: GrepNode = {
  any: [
    inFunction({
      regex:
        '__proto__|[\'"`]constructor[\'"`]|[\'"`]prototype[\'"`]|Object\\.create\\(null\\)|(?i:is(un)?safe|forbidden|blocklist|blacklist|pollut|hasOwn(Property)?(\\.call)?\\((target|dest|to|result|into|dst|base|acc)\\b)',
      not: AT_ONCE,
    }),
    { inside: { stopBy: HAS_NAME, ...FUNCTIONS, regex: 'new Map\\(' } },
  ],
};
/**
 * The function around the node that has a name, or a callback in between, contains such a node. What runs at once is left out,
 * because it may be all of a file.
 */
export const contains = (node: GrepNode): GrepNode => ({
  inside: { stopBy: HAS_NAME, ...FUNCTIONS, not: AT_ONCE, has: { stopBy: 'end', ...node } },
});
const WRAPPED = kinds([
  'binary_expression',
  'parenthesized_expression',
  'ternary_expression',
  'assignment_expression',
  'array',
]);
/** The node itself, or one that may be it, such as `node || {}`, also in a list. */
export const orWrapped = (node: GrepNode): GrepNode => ({
  any: [node, { ...WRAPPED, has: { stopBy: { not: WRAPPED }, ...node } }],
});
/** A call of the function itself, with such an argument. */
export const callsItself = (argument: GrepNode, more: GrepNode = {}): GrepNode => ({
  kind: 'call_expression',
  all: [
    { has: { field: 'arguments', has: argument, ...more } },
    {
      has: {
        field: 'function',
        any: [
          { kind: 'identifier', pattern: '$SELF' },
          {
            kind: 'member_expression',
            all: [
              { has: { field: 'property', regex: '^call$' } },
              {
                has: {
                  field: 'object',
                  any: [{ kind: 'identifier', pattern: '$SELF' }, { has: { field: 'property', pattern: '$SELF' } }],
                },
              },
            ],
          },
          { has: { field: 'property', pattern: '$SELF' } },
        ],
      },
    },
    { any: [NAMED_SELF, { has: { field: 'function', regex: '^arguments\\.callee$' } }] },
  ],
});
export const declares = (name: string, value: GrepNode): GrepNode => ({
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

/** Functions that call another one for each property of an object. */
const EACH = '([eE]ach|forOwn|forIn|each(Own|Key|Property))';
export const STEPS: GrepNode = {
  inside: {
    stopBy: 'end',
    any: [
      ...['for_statement', 'for_in_statement', 'while_statement', 'do_statement'].map((kind) => ({ kind })),
      {
        kind: 'call_expression',
        has: { field: 'function', regex: `\\.(forEach|reduce|map|some|every)$|(^|\\.)(for)?${EACH}$` },
      },
    ],
  },
};
/** The function, or one around it, goes over the names of an object. */
export const OVER_NAMES: GrepNode = inFunction({
  regex: `\\b(for\\s*\\([^;)]*\\s(in|of)\\s|Object\\.(keys|entries|getOwnPropertyNames)\\(|Reflect\\.ownKeys\\(|(for)?${EACH}\\(\\s*[\\w$.]+,)`,
});
/** Such an object, and not another one, gives the names. */
export const namesOf = (name: string): GrepNode =>
  contains({
    any: [
      { kind: 'for_in_statement', has: { field: 'right', pattern: name } },
      { pattern: `Object.keys(${name})` },
      { pattern: `Object.entries(${name})` },
      {
        kind: 'call_expression',
        all: [
          { has: { field: 'function', regex: `(^|\\.)(for)?${EACH}$` } },
          { has: { field: 'arguments', has: { nthChild: 1, pattern: name } } },
        ],
      },
    ],
  });

export const MEMBER: GrepNode = { pattern: '$TARGET[$KEY]' };
/** A value that was there before, as opposed to a new object. */
const PLAIN: GrepNode = { any: ['identifier', 'subscript_expression'].map((kind) => ({ kind })) };
export const written = (member: GrepNode, value: GrepNode): GrepNode => ({
  kind: 'assignment_expression',
  all: [{ has: { field: 'left', ...member } }, { has: { field: 'right', ...value } }],
});
const CHOSEN: GrepNode = { kind: 'ternary_expression', has: PLAIN };
/** The assignment of the value; in a function without one, that of a new object. One defect is one finding. */
export const oneWrite = (other: GrepNode): GrepNode => ({
  any: [
    written(MEMBER, PLAIN),
    written(MEMBER, CHOSEN),
    { all: [written(MEMBER, other), { not: contains(written({ pattern: '$TARGET[$LAST]' }, PLAIN)) }] },
  ],
});
