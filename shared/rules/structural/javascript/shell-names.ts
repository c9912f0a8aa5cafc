/** Names that a file gives to `child_process` or `shelljs` and their functions. */
import type { GrepNode } from '../../model/rule.ts';

const REQUIRED = 'require\\([\'"`](child_process|node:child_process|shelljs)[\'"`]\\)';
const IMPORTED: GrepNode = { has: { field: 'source', regex: '^.(child_process|node:child_process|shelljs).$' } };

/** A declaration at the beginning of the file, or in a block around the node. */
const declaredAbove = (declarator: GrepNode, imported: GrepNode): GrepNode => ({
  inside: {
    stopBy: 'end',
    any: [{ kind: 'program' }, { kind: 'statement_block' }],
    has: {
      any: [
        {
          any: [{ kind: 'variable_declaration' }, { kind: 'lexical_declaration' }],
          has: { kind: 'variable_declarator', ...declarator },
        },
        {
          kind: 'expression_statement',
          has: {
            kind: 'assignment_expression',
            all: [
              { has: { field: 'left', kind: 'identifier', pattern: '$NAMED' } },
              { has: { field: 'right', regex: `^${REQUIRED}(\\.exec(Sync)?)?$` } },
            ],
          },
        },
        { kind: 'import_statement', all: [IMPORTED, { has: { kind: 'import_clause', has: imported } }] },
      ],
    },
  },
});
const NAMED: GrepNode = { kind: 'identifier', pattern: '$NAMED' };
const IS_MODULE = declaredAbove(
  { all: [{ has: { field: 'name', ...NAMED } }, { has: { field: 'value', regex: `^${REQUIRED}$` } }] },
  { any: [NAMED, { kind: 'namespace_import', has: NAMED }] },
);
const IS_FUNCTION = declaredAbove(
  {
    any: [
      {
        all: [
          { has: { field: 'name', ...NAMED } },
          {
            has: { field: 'value', regex: `^${REQUIRED}\\.exec(Sync)?$|^([\\w$]+\\.)?promisify\\(.{0,60}\\bexec\\)$` },
          },
        ],
      },
      {
        all: [
          {
            has: {
              field: 'name',
              has: {
                kind: 'pair_pattern',
                all: [{ has: { field: 'key', regex: '^exec(Sync)?$' } }, { has: { field: 'value', ...NAMED } }],
              },
            },
          },
          { has: { field: 'value', regex: `^${REQUIRED}$` } },
        ],
      },
    ],
  },
  {
    kind: 'named_imports',
    has: {
      kind: 'import_specifier',
      all: [{ has: { field: 'name', regex: '^exec(Sync)?$' } }, { has: { field: 'alias', ...NAMED } }],
    },
  },
);

/** Few files do, and the text is searched faster than the declarations. */
const MENTIONS_MODULE: GrepNode = { inside: { stopBy: 'end', kind: 'program', regex: 'child_process|shelljs' } };

/** A call of `exec` or `execSync` under a name that the file chose. */
export const RUNS_SHELL_BY_NAME: readonly GrepNode[] = [
  {
    kind: 'call_expression',
    all: [
      {
        has: {
          field: 'function',
          kind: 'member_expression',
          all: [{ has: { field: 'property', regex: '^exec(Sync)?$' } }, { has: { field: 'object', ...NAMED } }],
        },
      },
      { has: { field: 'arguments', has: { nthChild: 1, pattern: '$CMD' } } },
      MENTIONS_MODULE,
      IS_MODULE,
    ],
  },
  {
    kind: 'call_expression',
    all: [
      { has: { field: 'function', ...NAMED, not: { regex: '^(exec|execSync|require)$' } } },
      { has: { field: 'arguments', has: { nthChild: 1, pattern: '$CMD' } } },
      MENTIONS_MODULE,
      IS_FUNCTION,
    ],
  },
];
