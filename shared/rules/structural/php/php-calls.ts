import type { GrepNode } from '../../model/rule.ts';

export const PHP = ['Php'] as const;

/** Data that a visitor sends. */
export const REQUEST = '\\$_(GET|POST|REQUEST|COOKIE)\\b';

export const called = (name: string): GrepNode => ({
  kind: 'function_call_expression',
  has: { field: 'function', regex: name },
});

export const itsFirstArgument = (node: GrepNode): GrepNode => ({
  has: {
    field: 'arguments',
    has: { kind: 'argument', nthChild: 1, has: { pattern: '$ARGUMENT', all: [node] } },
  },
});

export const anArgument = (node: GrepNode): GrepNode => ({
  has: { field: 'arguments', has: { kind: 'argument', has: { pattern: '$ARGUMENT', all: [node] } } },
});

/** A string composed of parts that are not all literals. */
export const PHP_COMPOSED: GrepNode = {
  any: [
    {
      kind: 'encapsed_string',
      has: {
        any: ['variable_name', 'subscript_expression', 'member_access_expression', 'dynamic_variable_name'].map(
          (kind) => ({ kind }),
        ),
        stopBy: 'end',
      },
    },
    {
      kind: 'binary_expression',
      all: [
        { has: { field: 'operator', regex: '^\\.$' } },
        {
          has: {
            any: ['variable_name', 'subscript_expression', 'member_access_expression'].map((kind) => ({ kind })),
            stopBy: 'end',
          },
        },
      ],
    },
  ],
};
