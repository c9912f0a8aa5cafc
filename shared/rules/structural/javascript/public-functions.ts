/** Functions that other files can call, and their parameters. */
import type { GrepNode } from '../../model/rule.ts';
import { FUNCTIONS } from './function-nodes.ts';

const named = (name: string): GrepNode => ({
  any: [
    { has: { field: 'name', pattern: name } },
    { inside: { kind: 'variable_declarator', has: { field: 'name', pattern: name } } },
  ],
});
const hasParameter = (name: string, position?: number): GrepNode => ({
  any: [
    ...(position === undefined || position === 1 ? [{ has: { field: 'parameter', pattern: name } }] : []),
    {
      has: {
        field: 'parameters',
        has: {
          ...(position === undefined ? {} : { nthChild: position }),
          any: [
            { pattern: name },
            { has: { field: 'pattern', pattern: name } },
            { kind: 'assignment_pattern', has: { field: 'left', pattern: name } },
          ],
        },
      },
    },
  ],
});
const EXPORTS = '^(module\\.)?exports\\b';
/** Other files can call the function: it is a method, or exported in place or by its name. */
export const PUBLIC: GrepNode = {
  any: [
    { kind: 'method_definition' },
    {
      inside: {
        any: [
          { kind: 'pair' },
          { kind: 'export_statement' },
          {
            kind: 'assignment_expression',
            has: { field: 'left', any: [{ regex: EXPORTS }, { kind: 'member_expression' }] },
          },
        ],
      },
    },
    {
      all: [
        named('$EXPORTED'),
        {
          inside: {
            stopBy: 'end',
            kind: 'program',
            has: {
              any: [
                {
                  kind: 'expression_statement',
                  has: {
                    stopBy: { kind: 'object' },
                    kind: 'assignment_expression',
                    all: [
                      { has: { field: 'left', regex: EXPORTS } },
                      {
                        has: {
                          field: 'right',
                          any: [
                            { pattern: '$EXPORTED' },
                            {
                              kind: 'object',
                              has: {
                                any: [{ pattern: '$EXPORTED' }, { has: { field: 'value', pattern: '$EXPORTED' } }],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                { kind: 'export_statement', has: { kind: 'export_clause', has: { has: { pattern: '$EXPORTED' } } } },
              ],
            },
          },
        },
      ],
    },
  ],
};
/** A function that other files can call hands its own parameter on to `$INNER`. */
const handsOn = (position: number): GrepNode => ({
  kind: 'call_expression',
  all: [
    { has: { field: 'function', pattern: '$INNER' } },
    {
      has: {
        field: 'arguments',
        has: {
          nthChild: position,
          any: [
            { kind: 'identifier', pattern: '$GIVEN' },
            {
              any: [{ kind: 'binary_expression' }, { kind: 'template_string' }],
              has: { stopBy: 'end', kind: 'identifier', pattern: '$GIVEN' },
            },
          ],
        },
      },
    },
    { inside: { stopBy: 'end', all: [FUNCTIONS, hasParameter('$GIVEN'), { matches: 'public' }] } },
  ],
});
/** A caller in another file chooses the parameter of this function. */
export const givenFromOutside = (name: string): GrepNode => ({
  any: [
    { all: [hasParameter(name), { matches: 'public' }] },
    ...[1, 2, 3].map((position) => ({
      all: [
        hasParameter(name, position),
        named('$INNER'),
        { inside: { stopBy: 'end', kind: 'program', has: { stopBy: 'end', ...handsOn(position) } } },
      ],
    })),
  ],
});
