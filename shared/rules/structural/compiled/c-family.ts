import type { GrepNode, StructuralRule } from '../../model/rule.ts';

const C_FAMILY = ['C', 'Cpp'] as const;

const inFunction = (node: GrepNode): GrepNode => ({
  inside: { stopBy: 'end', kind: 'function_definition', has: { stopBy: 'end', ...node } },
});
const callOf = (context: string): GrepNode => ({ pattern: { context: `${context};`, selector: 'call_expression' } });

const body = (lines: string): string => `int f(char *name, struct item *item)\n{\n${lines}}\n`;

export const C_FAMILY_RULES: readonly StructuralRule[] = [
  {
    id: 'c-string-identity',
    languages: ['C'],
    severity: 'P1',
    blocking: true,
    title: 'Strings are compared by address',
    explanation: 'The comparison looks at the pointers, not at the text. Use `strcmp`.',
    rule: {
      kind: 'binary_expression',
      all: [
        { has: { field: 'operator', regex: '^(==|!=)$' } },
        {
          any: [
            { has: { field: 'left', kind: 'string_literal' } },
            { has: { field: 'right', kind: 'string_literal' } },
          ],
        },
        {
          not: {
            inside: { stopBy: 'end', any: [{ kind: 'preproc_if' }, { kind: 'preproc_elif' }], field: 'condition' },
          },
        },
      ],
    },
    examples: [
      { code: body('  if (name == "root")\n    return 1;\n'), lines: [3] },
      {
        code: body('  if (strcmp(name, "root") == 0)\n    return 1;\n  if (name[0] == \'r\')\n    return 2;\n'),
        lines: [],
      },
    ],
  },
  {
    id: 'c-assign-in-condition',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'Condition assigns a constant',
    explanation: 'The condition always has the same result, and the variable is overwritten. Write `==`.',
    rule: {
      kind: 'assignment_expression',
      all: [
        { has: { field: 'operator', regex: '^=$' } },
        {
          has: {
            field: 'right',
            any: ['number_literal', 'true', 'false', 'null', 'char_literal'].map((kind) => ({ kind })),
          },
        },
        {
          inside: { regex: '^\\(', inside: { any: [{ kind: 'if_statement' }, { kind: 'while_statement' }] } },
        },
      ],
    },
    examples: [
      { code: body('  if (count = 0)\n    return 1;\n'), lines: [3] },
      { code: body('  if (count == 0)\n    return 1;\n  while ((c = next()) != 0)\n    use(c);\n'), lines: [] },
    ],
  },
  {
    id: 'c-empty-condition',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'Semicolon ends the if',
    explanation: 'The statement after the semicolon runs whatever the condition is. Remove the semicolon.',
    rule: {
      kind: 'if_statement',
      has: { field: 'consequence', kind: 'expression_statement', regex: '^;$' },
      not: { any: [{ has: { field: 'alternative', regex: '.' } }, { regex: '[^)\\s]\\s*;$|\\*/\\s*;$|\\n\\s*;$' }] },
    },
    examples: [
      { code: body('  if (name == NULL);\n    return 1;\n  return 0;\n'), lines: [3] },
      {
        code: body('  if (name == NULL)\n    ; /* no name */\n  else\n    use(name);\n  if (name) use(name);\n'),
        lines: [],
      },
    ],
  },
  {
    id: 'c-size-of-pointer',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'sizeof gives the size of the pointer',
    explanation: 'Only the first bytes are touched, not the whole buffer. Use the size of what the pointer points to.',
    rule: {
      all: [
        {
          any: [
            'memset($POINTER, $VALUE, sizeof($POINTER))',
            'memcpy($POINTER, $FROM, sizeof($POINTER))',
            'strncpy($POINTER, $FROM, sizeof($POINTER))',
            'snprintf($POINTER, sizeof($POINTER), $$$REST)',
          ].map(callOf),
        },
        {
          inside: {
            stopBy: 'end',
            kind: 'function_definition',
            has: {
              field: 'declarator',
              has: {
                stopBy: 'end',
                kind: 'parameter_declaration',
                has: {
                  kind: 'pointer_declarator',
                  has: { field: 'declarator', pattern: '$POINTER', kind: 'identifier' },
                },
              },
            },
          },
        },
        { not: inFunction({ kind: 'array_declarator', has: { field: 'declarator', pattern: '$POINTER' } }) },
      ],
    },
    examples: [
      { code: body('  memset(item, 0, sizeof(item));\n'), lines: [3] },
      {
        code: body('  char buffer[8];\n  memset(buffer, 0, sizeof(buffer));\n  memset(item, 0, sizeof(*item));\n'),
        lines: [],
      },
    ],
  },
  {
    id: 'c-memset-swapped',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'memset sets no byte',
    explanation: 'The third argument is the length, and it is 0. Swap the second and the third argument.',
    rule: callOf('memset($TO, $VALUE, 0)'),
    constraints: { VALUE: { regex: 'sizeof|^[1-9]|size|len' } },
    examples: [
      { code: body('  memset(item, sizeof(*item), 0);\n'), lines: [3] },
      { code: body('  memset(item, 0, sizeof(*item));\n'), lines: [] },
    ],
  },
  {
    id: 'c-no-room-for-end',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'No room for the end of the string',
    explanation:
      '`strlen` does not count the final zero, so the copy writes one byte too many. Allocate `strlen(text) + 1`.',
    rule: {
      all: [callOf('malloc(strlen($TEXT))'), inFunction(callOf('strcpy($TO, $TEXT)'))],
    },
    examples: [
      { code: body('  char *copy = malloc(strlen(name));\n  strcpy(copy, name);\n'), lines: [3] },
      { code: body('  char *copy = malloc(strlen(name) + 1);\n  strcpy(copy, name);\n'), lines: [] },
    ],
  },
  {
    id: 'c-return-local',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'Address of a local variable is returned',
    explanation: 'The array no longer exists when the caller uses it. Let the caller pass a buffer, or allocate one.',
    rule: {
      kind: 'return_statement',
      has: { pattern: '$LOCAL', kind: 'identifier' },
      inside: {
        stopBy: 'end',
        kind: 'function_definition',
        all: [
          { has: { field: 'declarator', any: [{ kind: 'pointer_declarator' }] } },
          {
            has: {
              field: 'body',
              has: {
                kind: 'declaration',
                all: [
                  {
                    any: [
                      { has: { kind: 'array_declarator', has: { field: 'declarator', pattern: '$LOCAL' } } },
                      {
                        has: {
                          kind: 'init_declarator',
                          has: { kind: 'array_declarator', has: { field: 'declarator', pattern: '$LOCAL' } },
                        },
                      },
                    ],
                  },
                  { not: { has: { kind: 'storage_class_specifier' } } },
                  { not: { regex: '^\\s*(static|thread_local|_Thread_local)\\b' } },
                ],
              },
            },
          },
        ],
      },
    },
    examples: [
      {
        code: 'char *label(int id)\n{\n  char text[32];\n  snprintf(text, sizeof text, "%d", id);\n  return text;\n}\n',
        lines: [5],
      },
      {
        code: 'char *label(int id)\n{\n  static char text[32];\n  snprintf(text, sizeof text, "%d", id);\n  return text;\n}\nint first(void)\n{\n  int all[2] = {1, 2};\n  return all[0];\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'c-tls-not-verified',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Set `CURLOPT_CAINFO` to a private certificate authority instead.',
    rule: {
      any: [
        callOf('curl_easy_setopt($HANDLE, CURLOPT_SSL_VERIFYPEER, $OFF)'),
        callOf('curl_easy_setopt($HANDLE, CURLOPT_SSL_VERIFYHOST, $OFF)'),
      ],
    },
    constraints: { OFF: { regex: '^(0[Ll]?|false|FALSE|\\(long\\)\\s*0)$' } },
    where: 'production',
    examples: [
      { code: body('  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);\n'), lines: [3] },
      { code: body('  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, verify);\n'), lines: [] },
    ],
  },
  {
    id: 'c-predictable-temp',
    languages: C_FAMILY,
    severity: 'P2',
    blocking: true,
    title: 'Another process can create the temporary file first',
    explanation:
      'The function only chooses a name, so the file may be a link of another user when it is opened. Use `mkstemp` or `tmpfile`.',
    rule: { any: [callOf('mktemp($NAME)'), callOf('tmpnam($NAME)'), callOf('tempnam($FOLDER, $PREFIX)')] },
    where: 'production',
    examples: [
      { code: body('  char *path = tmpnam(NULL);\n'), lines: [3] },
      { code: body('  int file = mkstemp(name);\n'), lines: [] },
    ],
  },
];
